import type { Judge } from "./case.ts";
import type { AppealJudge } from "./rule-on-appeal.ts";
import type { BlocJudge } from "./rule-on-bloc.ts";
import type { SuspensionJudge } from "./rule-on-suspension.ts";

/** Decides everything that comes before humans. */
export type Judges = Judge & BlocJudge & SuspensionJudge & AppealJudge;
