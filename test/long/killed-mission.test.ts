import { describeMissionKills, SOME_MISSION_KILLS } from "../support/killed-missions.ts";

describeMissionKills("fault: the orchestrator is killed in the middle of a mission", SOME_MISSION_KILLS, []);
