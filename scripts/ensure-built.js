// Builds `program` or `all` unless it is fresh.
import { isFresh } from "./freshness.js";

const [, , what] = process.argv;
if (!isFresh(what)) {
    process.stderr.write("Building North...\n");
    const { buildAll, buildProgram } = await import("./build.js");
    await (what === "all" ? buildAll() : buildProgram());
}
