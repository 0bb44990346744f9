import { existsSync, lstatSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../../base/paths.js";
import { readShortFile } from "../../../base/read-regular-file.js";
import { HiddenFiles } from "../hidden-files.js";
import type { ShownPlace, View } from "./view.js";

/** Distributions' own files, too many to look at, and no secrets. */
const UNSEARCHED = ["/bin", "/gnu", "/lib", "/nix", "/sbin", "/sys", "/usr", "/var"];
/** Toolchains have thousands of folders; their credentials lie near the top. */
const MAX_DEPTH = 4;
const MAX_CERTIFICATES = 1024 ** 2;
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
        const isHidden = (file: string) => {
            const place = path.join(source, file);
            const status = lstatSync(place, { throwIfNoEntry: false });
            if (status === undefined || status.isSymbolicLink()) return false;
            if (what === "system" && !isOpenToAll(place, source)) return true;
            return isSecret(path.join(name, file)) && !isCertificate(place);
        };
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
        const found = this.files?.list() ?? [];
        const all = [...new Set([...own, ...found])];
        this.known = all.filter(
            (file) => !all.some((each) => each !== file && isInside(each, file))
        );
        return this.known;
    }
}

/** What the machine's other users may not read is not for commands either. */
function isOpenToAll(file: string, top: string): boolean {
    for (let place = file; place !== top; place = path.dirname(place)) {
        const status = lstatSync(place, { throwIfNoEntry: false });
        if (!status) return false;
        if ((status.mode & (status.isDirectory() ? 0o001 : 0o004)) === 0) return false;
    }
    return true;
}

/** Every program that speaks TLS needs the certificates of authorities. */
function isCertificate(file: string): boolean {
    const text = readShortFile(file, MAX_CERTIFICATES);
    return text !== undefined && text.includes("-BEGIN CERT") && !text.includes("PRIVATE KEY-");
}
