import { existsSync } from "node:fs";
import path from "node:path";
import { isInside, leavesFolder, resolveRealPath } from "../../../base/paths.js";
import type { ViewSettings } from "../containment.js";
import { CACHES, SHOWN } from "../toolchains.js";

/** What is visible of the home folder; paths relative to it, parents first. */
export interface HomeView {
    readonly shown: readonly string[];
    readonly caches: readonly string[];
    /** Hidden by the settings inside what is shown. */
    readonly covered: readonly string[];
}

/** Excludes `hide`. `home` must be a real path. */
export function homeView(home: string, searchPath: string, settings: ViewSettings): HomeView {
    const hidden = new Set(settings.hide.map((place) => inHome(home, place)));
    const isThere = (relative: string) =>
        !hidden.has(relative) && existsSync(path.join(home, relative));
    const wanted = [
        ...SHOWN,
        ...settings.show.map((place) => inHome(home, place)),
        ...programFolders(home, searchPath),
    ];
    const shown = outermost(wanted.filter((place) => place !== undefined && isThere(place)));
    return {
        shown,
        caches: CACHES.filter(isThere),
        covered: [...hidden]
            .filter((place) => place !== undefined)
            .filter((place) => existsSync(path.join(home, place)))
            .filter((place) => shown.some((folder) => isInside(folder, place))),
    };
}

/** Whether a path in HOME exists but is hidden. */
export function isHiddenInHome(
    home: string,
    view: HomeView,
    secrets: readonly string[],
    place: string
): boolean {
    const relative = inHome(home, place);
    if (relative === undefined || !existsSync(place)) return false;
    const isIn = (folder: string) => isInside(folder, relative);
    return [...view.covered, ...secrets].some(isIn) || ![...view.shown, ...view.caches].some(isIn);
}

/**
 * Returns PATH folders below HOME; for `sdk/bin` all of `sdk`, whose libraries its programs need.
 */
function programFolders(home: string, searchPath: string): string[] {
    return searchPath.split(":").flatMap((folder) => {
        const relative = inHome(home, resolveRealPath(folder) ?? folder);
        if (relative === undefined) return [];
        const parent = path.dirname(relative);
        return [/^s?bin$/.test(path.basename(relative)) && parent !== "." ? parent : relative];
    });
}

/** Returns the path relative to HOME; `undefined` for HOME itself and anything outside. */
function inHome(home: string, place: string): string | undefined {
    const relative = path.relative(home, path.resolve(home, place.replace(/^~(?=\/|$)/, home)));
    return relative === "" || leavesFolder(relative) ? undefined : relative;
}

function outermost(places: readonly (string | undefined)[]): string[] {
    const kept: string[] = [];
    for (const place of [...new Set(places)].sort()) {
        if (place !== undefined && !kept.some((folder) => isInside(folder, place))) {
            kept.push(place);
        }
    }
    return kept;
}
