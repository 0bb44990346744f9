// Tells whether what was built is newer than its sources.
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Files dated back to the start of the build that wrote them. */
export const BUILT = {
    program: ["dist/host/start.cjs"],
    all: ["dist/host/start.cjs", "dist/types/plugin/index.d.ts"],
};

const SOURCES = ["src", "scripts", "package.json", "package-lock.json", "tsconfig.types.json"];

/** `what` is `program` or `all`. */
export function isFresh(what) {
    const newest = newestSource(what);
    const isNewer = (file) => existsSync(file) && statSync(file).mtimeMs >= newest;
    return BUILT[what].every((file) => isNewer(path.join(root, file)));
}

/** Folders count too: a removed or renamed file changes only its folder's time. */
function newestSource(what) {
    const plugins = readdirSync(path.join(root, "plugins")).map((name) => `plugins/${name}`);
    const places = what === "all" ? [...SOURCES, ...plugins.flatMap(sourcesOf)] : SOURCES;
    return Math.max(...places.map((place) => newestIn(path.join(root, place))));
}

function sourcesOf(plugin) {
    return [`${plugin}/src`, `${plugin}/package.json`].filter((place) =>
        existsSync(path.join(root, place))
    );
}

function newestIn(place) {
    const found = statSync(place);
    const names = found.isDirectory() ? readdirSync(place) : [];
    return Math.max(found.mtimeMs, ...names.map((name) => newestIn(path.join(place, name))));
}
