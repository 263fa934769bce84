import { useEffect } from "react";
import { Link, Outlet } from "react-router";
import type { Case, Order } from "../city/answers.ts";
import { LiveCity, useAsked, useLive } from "../city/live.tsx";
import { setWaiting } from "../parts/waiting.ts";
import { moment } from "../parts/words.ts";
import { WithBearer } from "./bearer.tsx";

/** Around every page of a city: the one stream, the session that a wallet opened, and how the page stands with the city. */
export function Component() {
  return (
    <LiveCity>
      <WithBearer>
        <Standing />
        <Waiting />
        <Outlet />
      </WithBearer>
    </LiveCity>
  );
}

/** On every page, and in the window's title: how much waits for a human. */
function Waiting() {
  const cases = useAsked<{ readonly cases: readonly Case[] }>("/v1/cases");
  const orders = useAsked<{ readonly orders: readonly Order[] }>("/v1/orders");
  const many = (cases.data?.cases ?? []).filter(({ isCurrent }) => isCurrent).length + (orders.data?.orders.length ?? 0);
  useEffect(() => {
    setWaiting(many);
    return () => setWaiting(0);
  }, [many]);
  return (
    <p role="status" className="link" data-waiting={many}>
      {many > 0 && (
        <Link to="/panel">
          {many} {many === 1 ? "thing waits" : "things wait"} for a human
        </Link>
      )}
    </p>
  );
}

/** Says so when what is shown is from before, and since when. */
function Standing() {
  const { link } = useLive();
  if (link.kind === "lost")
    return (
      <div className="lost" role="alert" data-link="lost">
        <strong>The city does not answer.</strong> What is shown is as it was at {moment(link.since / 1_000).slice(11)} UTC. The page goes
        on by itself.
      </div>
    );
  return (
    <p className="link" data-link={link.kind}>
      {link.kind === "live" ? `live · entry ${link.sequence.toLocaleString("en")} of the log` : "connecting …"}
    </p>
  );
}
