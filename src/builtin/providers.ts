// North's own providers, one line each.
export { anthropic } from "./providers/anthropic/index.js";
export { local } from "./providers/compatible/local.js";
export { offline } from "./providers/offline/index.js";
export { openai } from "./providers/openai/index.js";
