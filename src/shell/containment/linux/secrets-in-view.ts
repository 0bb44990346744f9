import { existsSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../../base/paths.js";
import { HiddenFiles } from "../hidden-files.js";
import { isSecretFile } from "./secret-rule.js";
import type { ShownPlace, View } from "./view.js";

/** Distributions' own files, too many to look at, and no secrets. */
const UNSEARCHED = ["/bin", "/gnu", "/lib", "/nix", "/sbin", "/sys", "/usr", "/var"];
/** Toolchains have thousands of folders; their credentials lie near the top. */
const MAX_DEPTH = 4;
/** Files outside the project rarely change. */
const KEPT_MS = 30_000;

/** What is masked in a place that is shown, relative to it. */
export class SecretsInView {
    private readonly files: HiddenFiles | undefined;
    private known: readonly string[] = [];
    private lookedAt = -Infinity;

    constructor(
        private readonly shown: ShownPlace,
        private readonly view: View
    ) {
        const { source, what } = shown;
        const { home, isSecret } = view.options;
        if (UNSEARCHED.some((folder) => isInside(folder, source) || source.startsWith("/lib"))) {
            return;
        }
        const name =
            home !== undefined && isInside(home, source) ? path.relative(home, source) : source;
        const isHidden = (file: string) =>
            isSecretFile(
                path.join(source, file),
                path.join(name, file),
                what === "system",
                isSecret
            );
        const depth = what === "system" ? Infinity : MAX_DEPTH;
        this.files = new HiddenFiles(source, isHidden, depth);
    }

    list(): readonly string[] {
        if (Date.now() - this.lookedAt < KEPT_MS) return this.known;
        this.lookedAt = Date.now();
        const { place, source } = this.shown;
        const { base, hiddenFolders } = this.view.options;
        const below = (folder: string, places: readonly string[]) =>
            places
                .filter((each) => each !== folder && isInside(folder, each) && existsSync(each))
                .map((each) => path.relative(folder, each));
        const own = [
            ...below(place, this.view.hidden),
            ...below(place, this.view.settings),
            ...below(place, hiddenFolders),
            ...below(source, [base, ...hiddenFolders]),
        ];
        this.known = outermost([...own, ...(this.files?.list() ?? [])]);
        return this.known;
    }
}

/** Without what lies in another of them: a stand-in for a folder hides all of it. */
export function outermost(files: readonly string[]): readonly string[] {
    const all = new Set(files);
    const isWithin = (file: string): boolean => {
        const folder = path.dirname(file);
        return folder !== file && folder !== "." && (all.has(folder) || isWithin(folder));
    };
    return [...all].filter((file) => !isWithin(file));
}
