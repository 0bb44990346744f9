#!/usr/bin/env node
// Builds, then runs: for working on North itself.
await import("../scripts/build.js");
await import("./run.js");
