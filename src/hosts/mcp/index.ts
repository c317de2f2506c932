// Recall and search over MCP: what an agent asks for when its context holds a ref.
export { type ServeOptions, serve } from "./serve.ts";
