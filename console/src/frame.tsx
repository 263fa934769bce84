import { Anchor, Button, Group, Text, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useEffect } from "react";
import { NavLink, Outlet, useLocation } from "react-router";
import { useBundle } from "./bundle/opened.tsx";
import { isOfCity } from "./city/gateway.ts";
import { Quoted } from "./parts/quoted.tsx";
import { useWaiting } from "./parts/waiting.ts";

const CITY_PAGES = [
  { to: "/", name: "City" },
  { to: "/panel", name: "Override panel" },
  { to: "/log", name: "Log" },
  { to: "/rules", name: "Rules" },
  { to: "/agents", name: "Agents" },
  { to: "/seats", name: "Seats" },
  { to: "/economy", name: "Economy" },
  { to: "/bundle", name: "Open a bundle" },
] as const;

/** Of pages that the navigation does not name. */
const OTHER_PAGES = [
  { to: "/missions/", name: "Mission" },
  { to: "/sessions/", name: "Session" },
] as const;

const PAGES = [
  { to: "/mission", name: "Check" },
  { to: "/law", name: "Law and work" },
  { to: "/money", name: "Money" },
  { to: "/session", name: "How the law came about" },
] as const;

function sectionOf(pathname: string): string {
  if (pathname === "/") return isOfCity ? "City" : "Open a bundle";
  const all = [...(isOfCity ? [...CITY_PAGES.slice(1), ...OTHER_PAGES] : []), { to: "/bundle", name: "Open a bundle" }, ...PAGES];
  return all.find(({ to }) => pathname === to || pathname.startsWith(to.endsWith("/") ? to : `${to}/`))?.name ?? "Not found";
}

/** Frame of every page: the mission, whether its bundle is valid, and the navigation. */
export function Frame() {
  const { state } = useBundle();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  const { pathname } = useLocation();
  const opened = state.kind === "opened" ? state : undefined;
  const section = sectionOf(pathname);
  const waiting = useWaiting();
  // Screen readers announce the new page.
  useEffect(() => {
    document.title = `${waiting === 0 ? "" : `(${waiting}) `}${section} · AgentCity console`;
  }, [section, waiting]);
  return (
    <>
      <Anchor className="skip" href="#content">
        To the content
      </Anchor>
      <header>
        <Group justify="space-between" wrap="wrap">
          <Text fw={700}>
            <NavLink to="/">AgentCity</NavLink>
            {opened?.view !== undefined && (
              <>
                {" · "}
                <Quoted text={opened.view.outcome.name} short={60} />
              </>
            )}
          </Text>
          <Button variant="default" size="xs" onClick={() => setColorScheme(scheme === "dark" ? "light" : "dark")}>
            {scheme === "dark" ? "Light colours" : "Dark colours"}
          </Button>
        </Group>
        {isOfCity && (
          <nav aria-label="Pages of this city">
            {CITY_PAGES.map(({ to, name }) => (
              <NavLink key={to} to={to} end={to === "/"}>
                {name}
              </NavLink>
            ))}
          </nav>
        )}
        {opened !== undefined && (
          <nav aria-label="Pages of this bundle">
            {PAGES.map(({ to, name }) => (
              <NavLink key={to} to={to}>
                {name}
              </NavLink>
            ))}
          </nav>
        )}
      </header>
      {opened !== undefined && !opened.verification.passed && (
        <div className="banner" role="alert">
          Do not rely on this bundle: {opened.verification.checks.flatMap(({ findings }) => findings).length} checks failed.{" "}
          <NavLink to="/mission">See which</NavLink>
        </div>
      )}
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}
