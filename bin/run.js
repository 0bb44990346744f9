#!/usr/bin/env node
// Answers `--version` by itself: nothing else has to be loaded for it.
import { readFileSync } from "node:fs";

const [first] = process.argv.slice(2);
if (first === "--version" || first === "-v") {
    const file = new URL("../package.json", import.meta.url);
    const { name, version } = JSON.parse(readFileSync(file, "utf8"));
    process.stdout.write(
        `${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`
    );
} else {
    const { start } = await import("../dist/host/start.js");
    await start(process.argv.slice(2));
    // What a plugin left running, a timer or a server, must not keep North from ending.
    setInterval(() => {
        const isWritten = process.stdout.writableLength + process.stderr.writableLength === 0;
        if (isWritten) process.exit();
    }, 1_000).unref();
}
