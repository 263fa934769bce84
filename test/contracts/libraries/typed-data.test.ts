import { expect } from "chai";
import {
  type Address,
  getAddress,
  type Hex,
  hashStruct,
  hashTypedData,
  keccak256,
  recoverTypedDataAddress,
  stringToHex,
  type TypedData,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import { encodeType, type MessageName, messageConsumers, typedData, typedDataTypes } from "../../../orchestrator/protocol/typed-data.ts";
import { harnessOf } from "../harness.ts";

/** The third source: the strings as a person would copy them from the standard's examples. */
const STRINGS: Record<MessageName, string> = {
  PrincipalBinding:
    "PrincipalBinding(address agent,address principal,uint8 kind,bytes32 did,uint160 capabilities,uint64 stake,uint256 nonce,uint40 deadline)",
  SubAgentBinding:
    "SubAgentBinding(address agent,address creator,bytes32 did,uint160 capabilities,uint64 stake,uint256 nonce,uint40 deadline)",
  Withdrawal: "Withdrawal(address account,address by,address to,uint256 nonce,uint40 deadline)",
  RegisterService: "RegisterService(address agent,bytes32 codeHash,bytes32 schemaHash,string endpoint,bytes32 constraints,uint40 deadline)",
  Propose: "Propose(uint256 session,address agent,bytes32 specHash,bytes32 cid,uint40 deadline)",
  Sponsor: "Sponsor(uint256 session,address agent,uint16 candidate,uint40 deadline)",
  Ballot: "Ballot(uint256 session,address agent,uint64 ranking,uint40 deadline)",
  StrawPoll: "StrawPoll(uint256 session,address agent,uint64 ranking,uint40 deadline)",
  Petition: "Petition(address agent,bytes32 goalHash,address parent,uint32 round,uint40 deadline)",
  Reintroduce: "Reintroduce(uint256 session,address agent,uint16 candidate,bytes32 specHash,bytes32 cid,uint40 deadline)",
  OfficeApproval: "OfficeApproval(address clerk,uint8 office,uint256 session,bytes32 specHash,uint40 deadline)",
  Bid: "Bid(address agent,address mission,uint8 node,bytes32 service,uint64 price,uint256 nonce,uint40 deadline)",
  WithdrawBid: "WithdrawBid(address agent,address mission,uint8 node,uint256 nonce,uint40 deadline)",
  DelegationResult: "DelegationResult(address runner,bytes32 delegation,bytes32 outputHash,bytes32 intermediateHash,uint40 deadline)",
  AwardDecision: "AwardDecision(address regulator,address mission,uint256 nodes,uint8 attempt,uint256 nonce,uint40 deadline)",
  Anchor: "Anchor(address runner,bytes32 root,uint40 deadline)",
  Checkpoint: "Checkpoint(address runner,bytes32 previous,bytes32 root,bytes32 work,uint40 deadline)",
  LiveHash: "LiveHash(address mission,uint8 node,uint8 slot,uint8 attempt,bytes32 service,bytes32 hash,uint40 deadline,address runner)",
  SchemaStatement:
    "SchemaStatement(address mission,uint8 node,bytes32 obligation,bytes32 outputHash,bytes32 schemaHash,address issuer,uint40 deadline)",
  Commit: "Commit(address agent,uint8 node,uint8 slot,uint8 attempt,bytes32 commitment,uint40 deadline)",
  Commits: "Commits(address agent,uint256[] slots,bytes32[] commitments,uint40 deadline)",
  Appeal: "Appeal(address appellant,uint8 node,uint8 attempt,bytes32 evidence,uint40 deadline)",
  Start: "Start(address runner,uint256[] slots,uint40 deadline)",
  Evidence: "Evidence(bytes32 obligation,uint8 slot,uint8 index,uint8 kind,bytes32 payload,uint8 class)",
  Evidences:
    "Evidences(address issuer,Evidence[] items)Evidence(bytes32 obligation,uint8 slot,uint8 index,uint8 kind,bytes32 payload,uint8 class)",
  Verdict:
    "Verdict(bytes32 obligation,bytes32 commitment,uint32 draw,uint8 question,uint8 result,uint16 confidence,uint16 score,uint160 basis,uint8 agreeing)",
  Verdicts:
    "Verdicts(address verifier,Verdict[] verdicts,uint40 deadline)Verdict(bytes32 obligation,bytes32 commitment,uint32 draw,uint8 question,uint8 result,uint16 confidence,uint16 score,uint160 basis,uint8 agreeing)",
};
const NAMES = Object.keys(STRINGS) as MessageName[];

/** Largest value of members that Solidity holds as an enum. */
const ENUMS: Record<string, number> = { kind: 4, office: 3, question: 1, result: 2, class: 5 };
/** `kind` of an evidence item is a plain number. */
const PLAIN = new Set(["Evidence.kind"]);

type Value = Hex | bigint | number | string | Message;
interface Message {
  readonly [member: string]: Value | readonly Value[];
}

function memberOf(random: RandomStream, name: MessageName, member: { name: string; type: string }): Value | readonly Value[] {
  const { type } = member;
  if (type.endsWith("[]")) return Array.from({ length: random.int(5) }, () => oneOf(random, name, { ...member, type: type.slice(0, -2) }));
  return oneOf(random, name, member);
}

function oneOf(random: RandomStream, name: MessageName, member: { name: string; type: string }): Value {
  const { type } = member;
  const held = NAMES.find((each) => each === type);
  if (held !== undefined) return messageOf(random, held);
  if (type === "address") return getAddress(bytesToHex(random.bytes(20)));
  if (type === "bytes32") return bytesToHex(random.bytes(32));
  if (type === "bytes") return bytesToHex(random.bytes(random.int(100)));
  if (type === "string") return random.pick(["", "https://example.org/é", "x".repeat(100)]);
  const most = ENUMS[member.name];
  if (most !== undefined && !PLAIN.has(`${name}.${member.name}`)) return random.int(most + 1);
  const bits = Number(type.slice("uint".length));
  return bits <= 48 ? random.int(2 ** bits) : BigInt(bytesToHex(random.bytes(bits / 8)));
}

function messageOf(random: RandomStream, name: MessageName): Message {
  return Object.fromEntries(typedDataTypes[name].map((member) => [member.name, memberOf(random, name, member)]));
}

/** How the harness takes a message: as the struct of Messages.sol, or member by member. */
function argumentsOf(name: MessageName, m: Message): unknown[] {
  if (name === "PrincipalBinding" || name === "SubAgentBinding" || name === "Withdrawal") return [m];
  if (name === "LiveHash") return [{ ...m, signature: "0x" }];
  if (name === "Verdict" || name === "SchemaStatement") return [m];
  if (name === "Bid") return [m["agent"], m, m["nonce"], m["deadline"]];
  if (name === "AwardDecision") return [m["regulator"], m, m["nonce"], m["deadline"]];
  return typedDataTypes[name].map((member) => m[member.name]);
}

describe("signed messages", () => {
  const harness = harnessOf("TypedDataHarness");

  it("have one type hash in Solidity, in viem's types and as text", async () => {
    const [names, hashes] = await harness.call<[MessageName[], Hex[]]>("typeHashes");
    expect([...names].sort()).to.deep.equal([...NAMES].sort());
    expect(Object.keys(typedDataTypes).sort()).to.deep.equal([...NAMES].sort());
    names.forEach((name, k) => {
      expect(encodeType(name)).to.equal(STRINGS[name]);
      expect(hashes[k]).to.equal(keccak256(stringToHex(STRINGS[name])));
    });
  });

  it("hash to the same struct hash on both sides, 60 random messages of each", async () => {
    const random = randomStream(7, "messages");
    const types: TypedData = typedDataTypes;
    for (const name of NAMES) {
      for (let k = 0; k < 60; k += 1) {
        const message = messageOf(random, name);
        const here = hashStruct({ data: message, types, primaryType: name });
        const functionName = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
        expect(await harness.call<Hex>(functionName, ...argumentsOf(name, message)), name).to.equal(here);
      }
    }
  });

  it("are bound to the chain and to the contract that consumes them", () => {
    const [a, b]: [Address, Address] = [`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`];
    const message = { session: 1n, agent: a, ranking: 0x10n, deadline: 9 };
    const digest = (chainId: number, contract: Address) => hashTypedData({ ...typedData("Ballot", chainId, contract), message });
    const digests = [digest(31337, a), digest(31337, b), digest(1, a)];
    expect(new Set(digests).size).to.equal(3);
    expect(Object.keys(messageConsumers).sort()).to.deep.equal([...NAMES].sort());
  });

  it("can be signed and recovered", async () => {
    const account = privateKeyToAccount(`0x${"07".repeat(32)}`);
    const data = {
      ...typedData("Anchor", 31337, `0x${"33".repeat(20)}`),
      message: { runner: account.address, root: bytesToHex(new Uint8Array(32)), deadline: 5 },
    };
    const signature = await account.signTypedData(data);
    expect(await recoverTypedDataAddress({ ...data, signature })).to.equal(account.address);
  });
});
