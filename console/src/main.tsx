import "@mantine/core/styles.css";
import "./console.css";
import { createTheme, localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, type RouteObject } from "react-router";
import { RouterProvider } from "react-router/dom";
import { OpenedBundle } from "./bundle/opened.tsx";
import { isOfCity } from "./city/gateway.ts";
import { Frame } from "./frame.tsx";
import { OpenPage } from "./pages/open.tsx";
import { Broken, NotFound } from "./parts/states.tsx";

/** Pages of a running city; without one the console opens bundles. */
const LIVE: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import("./live/city.tsx")).CityPage }) },
  { path: "missions/:id/nodes?/:node?", lazy: () => import("./live/mission.tsx") },
  { path: "sessions/:id", lazy: () => import("./live/session.tsx") },
  { path: "log", lazy: () => import("./live/log.tsx") },
  { path: "rules", lazy: () => import("./live/rules.tsx") },
  { path: "panel", lazy: () => import("./live/panel.tsx") },
  { path: "panel/act", lazy: () => import("./live/act.tsx") },
  {
    lazy: () => import("./live/wallets.tsx"),
    children: [
      { path: "panel/order", lazy: async () => ({ Component: (await import("./live/order.tsx")).OrderPage }) },
      { path: "panel/orders/:digest", lazy: async () => ({ Component: (await import("./live/order.tsx")).WaitingOrder }) },
      { path: "panel/cases/:name", lazy: async () => ({ Component: (await import("./live/order.tsx")).CasePage }) },
    ],
  },
  { path: "seats", lazy: () => import("./live/seats.tsx") },
  { path: "economy/:name?", lazy: () => import("./live/economy.tsx") },
  { path: "agents", lazy: async () => ({ Component: (await import("./live/agents.tsx")).AgentsPage }) },
  { path: "agents/:address", lazy: async () => ({ Component: (await import("./live/agents.tsx")).AgentPage }) },
];

const router = createBrowserRouter([
  {
    path: "/",
    element: <Frame />,
    errorElement: <Broken />,
    children: [
      ...(isOfCity ? [{ lazy: () => import("./live/root.tsx"), children: LIVE }] : [{ index: true, element: <OpenPage /> }]),
      { path: "bundle", element: <OpenPage /> },
      { path: "mission", lazy: () => import("./pages/mission.tsx") },
      { path: "law/:node?", lazy: () => import("./pages/law.tsx") },
      { path: "money", lazy: () => import("./pages/money.tsx") },
      { path: "session", lazy: () => import("./pages/session.tsx") },
      { path: "*", element: <NotFound /> },
    ],
  },
]);

const theme = createTheme({
  fontFamily: "system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, monospace",
  respectReducedMotion: true,
});

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no place for the console");
createRoot(root).render(
  <StrictMode>
    {/* Style elements would need 'unsafe-inline' in the policy: the variables come with the stylesheet. */}
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={localStorageColorSchemeManager({ key: "agentcity-colours" })}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <OpenedBundle>
        <RouterProvider router={router} />
      </OpenedBundle>
    </MantineProvider>
  </StrictMode>,
);
