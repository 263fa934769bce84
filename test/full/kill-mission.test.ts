import { describeMissionKills, HYBRID_KILLS, MISSION_KILLS } from "../support/killed-missions.ts";

describeMissionKills("a mission killed at each of the seven stages and between any two sendings", MISSION_KILLS, HYBRID_KILLS);
