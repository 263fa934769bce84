import { KILLS } from "../support/kill-cases.ts";
import { describeKills } from "../support/killed-sessions.ts";

describeKills("a session killed at every boundary there is", KILLS);
