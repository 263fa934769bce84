import "@mantine/core/styles.css";
import "./console.css";
import { createTheme, localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, RouterProvider } from "react-router";
import { OpenedBundle } from "./bundle/opened.tsx";
import { Frame } from "./frame.tsx";
import { OpenPage } from "./pages/open.tsx";
import { Broken, NotFound } from "./parts/states.tsx";

const router = createBrowserRouter([
  {
    path: "/",
    element: <Frame />,
    errorElement: <Broken />,
    children: [
      { index: true, element: <OpenPage /> },
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
