import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { nameOf } from "../../../base/byte-names.js";
import { isInside } from "../../../base/paths.js";
import { oneAtATime } from "../../../base/waiting.js";
import { SYSTEM_PATH } from "../containment.js";
import { HiddenFiles } from "../hidden-files.js";
import { type Masked, outermost } from "./mask.js";
import { failed } from "./supervision.js";
import { namesForRule, type ShownPath, type View } from "./view.js";

/** Distributions' own files, too many to look at, and no secrets. */
const UNSEARCHED =
    /^\/(?:bin|gnu|lib(?:x?32|64)?|nix|sbin|sys|usr\/(?!local(?:\/|$))[^/]+|var)(?:\/|$)/;
/** What of /usr the administrator keeps: searched for closed files, as many others look like secrets. */
const LOCAL = "/usr/local";
/** Toolchains have thousands of folders; their credentials are near the top. */
const MAX_DEPTH = 4;
/** Files outside the project rarely change. */
const RECHECK_MS = 30_000;
const MAX_CLOSED_BYTES = 64 * 1024 ** 2;

interface Found extends Masked {
    readonly at: number;
}

/** Looks for secrets in a folder that is shown. */
class Search {
    /** One for each of its names. */
    private readonly files: readonly HiddenFiles[];
    private readonly inTurn = oneAtATime();
    private found: Found | undefined;

    constructor(
        private readonly shown: ShownPath,
        home: string | undefined
    ) {
        const { source, what } = shown;
        const prefixes = what === "git" ? [".git"] : namesForRule(shown, home);
        const isSmall = what === "system" || what === "git";
        const upper = { depth: MAX_DEPTH, dependencies: "skip" } as const;
        const none = isInside("/usr", source) ? { paths: [] } : {};
        const options = { home, ...(isSmall ? {} : upper), ...none };
        this.files = prefixes.map((prefix) => new HiddenFiles(source, { prefix, ...options }));
    }

    /** Paths relative to the folder, found at most `age` ms ago. */
    look(age: number): Promise<Found> {
        return this.inTurn(async () => {
            const at = Date.now();
            if (this.found && at - this.found.at < age) return this.found;
            const { source, what } = this.shown;
            const closed = what === "system" ? await closedFiles(source) : [];
            const secrets = [...closed];
            for (const each of this.files) secrets.push(...(await each.listInSlices()));
            const gitSettings = this.files.flatMap((each) => each.gitSettings());
            this.found = { secrets, gitSettings, at };
            return this.found;
        });
    }
}

/** One for all sessions of the process: `/opt` alone may hold 50,000 files. */
const systemSearches = new Map<string, Search>();

/** What is masked in a place that is shown, relative to it. */
export class SecretsInView {
    private readonly search: Search | undefined;
    /** As of the last `refresh`. */
    masked: Masked = { secrets: [], gitSettings: [] };
    private lookedAt = -Infinity;

    constructor(
        private readonly shown: ShownPath,
        private readonly view: View
    ) {
        const { source, what } = shown;
        const { home } = view.options;
        if (what === "system" && UNSEARCHED.test(source)) return;
        const isInHome = home !== undefined && (isInside(home, source) || isInside(source, home));
        const isShared = what === "system" && !isInHome;
        this.search = (isShared && systemSearches.get(source)) || new Search(shown, home);
        if (isShared) systemSearches.set(source, this.search);
    }

    /** As absolute paths. */
    get hidden(): readonly string[] {
        const { secrets } = this.masked;
        return [...secrets.map((file) => path.join(this.shown.source, file)), ...this.gitSettings];
    }

    /** Git settings with credentials, as absolute paths. */
    get gitSettings(): readonly string[] {
        return this.masked.gitSettings.map((file) => path.join(this.shown.source, file));
    }

    /** Before each run: looks again if it is time, without keeping the thread from other work. */
    async refresh(): Promise<void> {
        // The project's own git folder changes with each command.
        const { path: location, source, what } = this.shown;
        const age = what === "git" ? 0 : RECHECK_MS;
        if (Date.now() - this.lookedAt < age) return;
        const { base, hiddenFolders } = this.view.options;
        const below = (folder: string, paths: readonly string[]) =>
            paths
                .filter((each) => each !== folder && isInside(folder, each) && existsSync(each))
                .map((each) => path.relative(folder, each));
        const found = await this.search?.look(age);
        this.lookedAt = found?.at ?? Date.now();
        const secrets = outermost([
            ...below(location, this.view.hidden),
            ...below(location, hiddenFolders),
            ...below(source, [base, ...hiddenFolders]),
            ...(found?.secrets ?? []),
        ]);
        this.masked = { secrets, gitSettings: found?.gitSettings ?? [] };
    }
}

/**
 * What the machine's other users may not read is not for commands either. A mode changes without its
 * folder, so all are looked at each time: by `find`, as Node takes twenty times as long.
 */
async function closedFiles(source: string): Promise<readonly string[]> {
    const top = isInside(source, LOCAL) ? LOCAL : source;
    const folders = ["-type", "d", "!", "-perm", "-001", "-prune", "-print0"];
    const others = ["!", "-type", "d", "!", "-type", "l", "!", "-perm", "-004", "-print0"];
    const words = [top, "-mindepth", "1", "(", ...folders, ")", "-o", "(", ...others, ")"];
    const settings = { env: { PATH: SYSTEM_PATH }, maxBuffer: MAX_CLOSED_BYTES };
    const listed = await new Promise<string | undefined>((resolve) => {
        execFile("find", words, { ...settings, encoding: "latin1" }, (error, stdout) =>
            // 1: there are folders that this user cannot read, and a command cannot either.
            resolve(error && error.code !== 1 ? undefined : stdout)
        );
    });
    if (listed === undefined) throw failed(`find did not list what is closed in ${source}`);
    const paths = listed.split("\0").slice(0, -1);
    return paths.map((file) => path.relative(source, nameOf(Buffer.from(file, "latin1"))));
}
