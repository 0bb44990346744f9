import path from "node:path";
import { isInside } from "../../../base/paths.js";
import type { HiddenPath } from "../find-refusal.js";
import { linksOnTheWay } from "./home-view.js";
import type { View, PlaceKind } from "./view.js";

/** Files that programs create and remove as they like. */
const NAMELESS = ["/dev", "/proc", "/sys"];

/**
 * Returns a real path, to which `named` leads, or a link on the way there, as a person names it if
 * contained commands do not see it. Hidden files are absolute, or in the project.
 */
export function nameHidden(
    view: View,
    [location, named]: readonly [string, string],
    hiddenFiles: readonly string[]
): HiddenPath | undefined {
    const { root } = view.options;
    for (const each of [...linksOnTheWay(named).keys(), location]) {
        const isHiddenFile = hiddenFiles.some((file) => isInside(path.resolve(root, file), each));
        const isShown = !isHiddenFile && (view.exists(each) || view.leads(named, each));
        if (isShown || NAMELESS.some((folder) => isInside(folder, each))) continue;
        return { name: view.shortName(each), couldShow: !isHiddenFile && view.couldShow(each) };
    }
    return undefined;
}

export function describeView(view: View, masked: readonly string[]): readonly string[] {
    const { root, home, gitFolder, base } = view.options;
    const places = (what: PlaceKind) =>
        view.shown
            .filter((each) => each.what === what)
            .map(({ path: location }) => view.shortName(location));
    const named = (list: readonly string[]) => list.join(", ") || "none";
    const files = [...view.files.keys()].map((location) => view.shortName(location));
    const tools = [...places("programs"), ...files].sort();
    return [
        `project    ${root}, copy-on-write`,
        ...(gitFolder === undefined ? [] : [`git        ${gitFolder}, copy-on-write`]),
        `hidden     ${named(masked)}`,
        `system     ${named(places("system"))}, read-only`,
        `HOME       ${home ?? "none"}, ${tools.length === 0 ? "empty" : `empty except for ${named(tools)}`}, read-only`,
        `caches     ${named(places("cache"))}; writes there are discarded`,
        `private    ${named(places("private"))}`,
        "network    only a private loopback",
        "elsewhere  nothing",
        `layers     ${path.dirname(base)}`,
    ];
}

export function describeReadOnly(view: View, masked: readonly string[]): readonly string[] {
    const lines = describeView(view, masked).map((line) =>
        line.replace("copy-on-write", "read-only")
    );
    const differences = new Map([
        ["caches", "caches     one of its own"],
        ["private", "private    its temporary folder, the only place it can write to"],
        ["network", "network    none"],
        [
            "elsewhere",
            "elsewhere  names, sizes and times of files, and other processes' command lines",
        ],
    ]);
    return lines.map((line) => differences.get(line.split(" ")[0] ?? "") ?? line);
}
