import { SOME_KILLS } from "../support/kill-cases.ts";
import { describeKills } from "../support/killed-sessions.ts";

describeKills("a session killed for real", SOME_KILLS);
