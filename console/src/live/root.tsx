import { useEffect } from "react";
import { Link, Outlet } from "react-router";
import type { Case, Order } from "../city/answers.ts";
import { LiveCity, useAsked, useLive } from "../city/live.tsx";
import { setWaiting } from "../parts/waiting.ts";
import { moment } from "../parts/words.ts";
import { WithBearer } from "./bearer.tsx";

/** Frame of every page of a city: the event stream, the wallet's session, and the state of the connection. */
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

/** On every page, and in the window's title: the number of items that wait for a human. */
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

/** Reports outdated data, and its time. */
function Standing() {
  const { link } = useLive();
  if (link.kind === "lost")
    return (
      <div className="lost" role="alert" data-link="lost">
        <strong>The city does not answer.</strong> The data shown is from {moment(link.since / 1_000).slice(11)} UTC. The page continues
        automatically.
      </div>
    );
  return (
    <p className="link" data-link={link.kind}>
      {link.kind === "live" ? `live · entry ${link.sequence.toLocaleString("en")} of the log` : "connecting …"}
    </p>
  );
}
