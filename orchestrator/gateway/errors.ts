import { z } from "zod";
import { REFUSALS } from "../agreements/errors.ts";
import { AgentCityError } from "../primitives/errors.ts";

/** HTTP status of each error that a client can cause; any other is the gateway's own fault. */
const STATUS: Readonly<Record<string, number>> = {
  // Refusals by agreement rules; overridden below where needed.
  ...Object.fromEntries(REFUSALS.map((code) => [code, 409])),
  MalformedAgreement: 422,
  UnsupportedVersion: 422,
  OneParty: 422,
  BadAmount: 422,
  UnknownGate: 422,
  UnknownKey: 401,
  BreakerOpen: 503,
  StopRefused: 409,
  StepRefused: 409,
  NothingOwed: 409,
  TooManyProposals: 429,
  BadRequest: 400,
  BadCursor: 400,
  InvalidValue: 400,
  NotJson: 400,
  BadContentId: 400,
  BadSignature: 401,
  SignatureMissing: 401,
  BearerUnknown: 401,
  PaymentRequired: 402,
  PaidOverHttp: 402,
  PreconditionFailed: 412,
  KeyReused: 422,
  NotAllowed: 403,
  SeatsClosed: 404,
  PostingClosed: 404,
  NotPosted: 404,
  MissionRefused: 422,
  DepositRefused: 409,
  AppealRefused: 409,
  TooManyPosted: 429,
  HearingsClosed: 404,
  HearingUnknown: 404,
  HearingRefused: 409,
  TooManyHearings: 429,
  SchemaUnusable: 422,
  NoFaucet: 403,
  WrongKind: 403,
  NotRegistered: 403,
  CityFull: 403,
  TooManyServices: 403,
  RelayQuota: 429,
  AnswerRefused: 409,
  NothingAsked: 409,
  QuotaExceeded: 413,
  PushRefused: 422,
  NoSuchCase: 404,
  TransactionReverted: 409,
  TooMuchGas: 409,
  HostUnknown: 403,
  NotFound: 404,
  UnknownClaim: 404,
  LifecycleRefused: 409,
  NoSuchCommand: 404,
  WrongMethod: 405,
  SignatureReplayed: 409,
  BodyTooLarge: 413,
  HeadersTooLarge: 431,
  BodyTooSlow: 408,
  RequestTooSlow: 408,
  WrongMediaType: 415,
  TooManyRequests: 429,
  GatewayBusy: 503,
  TooManyConnections: 503,
  TooManyStreams: 429,
};

/** Errors that only the operator can fix, reported to the client and to the operator: what the client can do. */
const OPERATORS: Readonly<Record<string, string>> = {
  BlockDamaged: "ask the city's operator to restore it",
  PassportMissing: "ask the city's operator to restore it; the bundle of the last mission that changed it has it",
};

/** A refused request, with a named error. */
export class Refused extends AgentCityError {
  /** Seconds after which a retry may succeed. */
  readonly retryAfter: number | undefined;
  constructor(
    code:
      | "BadRequest"
      | "NotAllowed"
      | "PaidOverHttp"
      | "PreconditionFailed"
      | "KeyReused"
      | "HostUnknown"
      | "NotFound"
      | "SeatsClosed"
      | "PostingClosed"
      | "HearingsClosed"
      | "NothingAsked"
      | "NothingOwed"
      | "QuotaExceeded"
      | "PushRefused"
      | "NoSuchCommand"
      | "WrongMethod"
      | "BodyTooLarge"
      | "HeadersTooLarge"
      | "BodyTooSlow"
      | "RequestTooSlow"
      | "WrongMediaType"
      | "TooManyRequests"
      | "GatewayBusy"
      | "TooManyConnections"
      | "TooManyStreams"
      | "BadSignature"
      | "SignatureMissing"
      | "SignatureReplayed"
      | "BearerUnknown",
    message: string,
    {
      retryAfter,
      ...options
    }: { readonly details?: string | undefined; readonly action?: string | undefined; readonly retryAfter?: number } = {},
  ) {
    super(code, message, options);
    this.retryAfter = retryAfter;
  }
}

/** The refusal of a request whose fields are not as its schema says. */
export function outsideSchema(error: z.ZodError): Refused {
  return new Refused("BadRequest", "The request does not match its schema", { details: z.prettifyError(error).slice(0, 500) });
}

export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly details?: string; readonly action?: string };
}

/**
 * The client's view of an error: our own errors with details; of any other only that it happened. `isOurs`: the operator need not be
 * informed.
 */
export function answerTo(error: unknown): { readonly status: number; readonly body: ErrorBody; readonly isOurs: boolean } {
  if (error instanceof AgentCityError) {
    const action = OPERATORS[error.code];
    if (action !== undefined) return { status: 500, body: { error: { ...error.toPlain(), action } }, isOurs: false };
    const status = STATUS[error.code];
    if (status !== undefined) return { status, body: { error: error.toPlain() }, isOurs: true };
  }
  const message = "The gateway failed at this request; its operator's log says why";
  return { status: 500, body: { error: { code: "GatewayFailed", message } }, isOurs: false };
}
