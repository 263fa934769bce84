import { KILLS, PETITION_KILLS, REINTRODUCTION_KILLS } from "../support/kill-cases.ts";
import { describeKills } from "../support/killed-sessions.ts";

describeKills("a session killed at every boundary there is", KILLS);
describeKills("a session by petition killed on its own ways", PETITION_KILLS, "by-petition");
describeKills("a session reintroduced after too few voted, killed on the way", REINTRODUCTION_KILLS, "half-asleep");
