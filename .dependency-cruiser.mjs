// Which room may import which: a room imports only the rooms in its row, and those through their index.ts.
const CORE = ["config", "session", "formats", "tokens", "view", "recall", "extract", "models", "coverage", "condense"];
const rooms = {
  config: [],
  session: [],
  formats: ["session"],
  tokens: ["session"],
  view: ["session", "tokens"],
  recall: ["session", "view"],
  extract: ["session", "tokens"],
  models: ["config", "session", "tokens"],
  coverage: ["session", "tokens"],
  condense: ["config", "session", "formats", "tokens", "view", "recall", "extract", "models", "coverage"],
  copies: [...CORE],
  replay: [...CORE],
  "hosts/pi": [...CORE, "replay", "copies"],
  "hosts/claude-code": [...CORE, "replay", "copies"],
  "hosts/mcp": [...CORE, "replay", "copies"],
  cli: [...CORE, "replay", "copies", "hosts/pi", "hosts/claude-code", "hosts/mcp"],
};

export default {
  forbidden: [
    ...Object.entries(rooms).map(([room, allowed]) => ({
      name: `room-${room}`,
      severity: "error",
      comment: `${room} may import ${allowed.join(", ") || "no room"}, through index.ts`,
      from: { path: `^src/${room}/` },
      to: { path: "^src/", pathNot: [`^src/${room}/`, ...allowed.map((other) => `^src/${other}/index\\.ts$`)] },
    })),
    {
      name: "room-unknown",
      severity: "error",
      comment: "every folder under src is a room of the table above",
      from: { path: "^src/", pathNot: `^src/(${Object.keys(rooms).join("|")})/` },
      to: {},
    },
    { name: "unresolved", severity: "error", comment: "an import that leads nowhere is checked by no other rule", from: {}, to: { couldNotResolve: true } },
    { name: "no-cycle", severity: "error", comment: "no file leads back to itself", from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { extensions: [".ts", ".js"], conditionNames: ["import", "node", "default"], exportsFields: ["exports"] },
  },
};
