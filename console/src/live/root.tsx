import { Outlet } from "react-router";
import { LiveCity, useLive } from "../city/live.tsx";
import { moment } from "../parts/words.ts";
import { WithWallet } from "./signing.tsx";

/** Around every page of a city: the one stream, the wallet, and how the page stands with the city. */
export function Component() {
  return (
    <LiveCity>
      <WithWallet>
        <Standing />
        <Outlet />
      </WithWallet>
    </LiveCity>
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
