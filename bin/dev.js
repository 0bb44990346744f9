#!/usr/bin/env node
// Builds, then runs: for working on North itself.
import { buildProgram } from "../scripts/build.js";

await buildProgram();
await import("./run.js");
