import { OWN_PLUGIN, type Owned } from "../../core/registry/registry.js";
import type { OwnCheckContext } from "../../core/agent/checks.js";
import type { ChangeSet, Check, Finding, FileChange } from "../../plugin/index.js";
import type { Rule } from "../../workspace/context/rules.js";
import type { CheckSetting } from "../../storage/config.js";
import type { ProjectNotes } from "../../storage/grants/grants.js";
import { compilePathGlob } from "../../workspace/listing/find.js";
import { messageOf } from "../../base/system-error.js";
import { within } from "../../base/waiting.js";
import { type ContainedRuns, containsFirst } from "../../core/approval/contained-runs.js";
import { type View, viewOfChanges } from "../../core/draft/view.js";
import { findingLine } from "../../plugin/change-set.js";
import { quote } from "../../base/shell-quote.js";
import { couldNotRun } from "../effects/check-finder.js";

const DEFAULT_SECONDS = 60;

/** A repository rule with a command that checks changes. */
export type CheckedRule = Rule & { readonly check: string };

interface CommandChecksOptions extends Pick<CommandCheckOptions, "root"> {
    readonly settings: readonly CheckSetting[];
    readonly rules: readonly CheckedRule[];
    readonly grants: Pick<ProjectNotes, "allowsCheck">;
}

/** The checks in the settings, and those in the repository's rules that the user has allowed. */
export async function commandChecks(
    options: CommandChecksOptions
): Promise<readonly Owned<Check>[]> {
    const checks = [...(await settingChecks(options)), ...ruleChecks(options)];
    return checks.map((value) => ({ plugin: OWN_PLUGIN, value }));
}

function settingChecks({ settings, root }: CommandChecksOptions) {
    return Promise.all(
        settings.map(async ({ run, files = "**", refuse = false, seconds = DEFAULT_SECONDS }) => {
            const matches = await compilePathGlob(files);
            const options = { command: run, refuses: refuse, seconds, matches };
            return new CommandCheck({ ...options, root });
        })
    );
}

function ruleChecks({ rules, root, grants }: CommandChecksOptions) {
    return rules.map(({ check: command, always, matches }) => {
        const standard = { refuses: false, seconds: DEFAULT_SECONDS };
        const isAllowed = () => grants.allowsCheck(command);
        const isMeant = always ? () => true : matches;
        return new CommandCheck({
            command,
            matches: isMeant,
            ...standard,
            root,
            isAllowed,
        });
    });
}

/** Max time a review waits for a check that refuses nothing. */
const REVIEW_MS = 2_000;
const MAX_BYTES = 1024 * 1024;
const MAX_FINDINGS = 10;
const FILES = "{files}";

interface CommandCheckOptions {
    /** `{files}` is replaced by the changed files. */
    readonly command: string;
    readonly matches: (path: string) => boolean;
    /** Whether findings refuse the change. */
    readonly refuses: boolean;
    readonly seconds: number;
    readonly root: string;
    /** Asked before each run of a command that comes with the repository. */
    isAllowed?(): Promise<boolean>;
}

interface InspectionOptions {
    readonly contained: ContainedRuns;
    /** When it must have ended, as `performance.now()`. */
    readonly end: number;
    readonly signal: AbortSignal;
}

/**
 * Runs a command contained, on the project with the changes applied. Findings too late for the
 * review are reported afterwards.
 */
class CommandCheck implements Check {
    readonly name: string;
    readonly timeLimitMs: number;
    private late: string[] = [];
    /** Of a run whose findings nobody waits for any more. */
    private tooLate: AbortController | undefined;

    constructor(private readonly options: CommandCheckOptions) {
        this.name = options.command;
        // Leaves time around the command, whose own time limit gives the better message.
        const seconds = options.refuses ? options.seconds + 10 : 2 * (REVIEW_MS / 1_000);
        this.timeLimitMs = seconds * 1_000;
    }

    async onProposal(
        { changes }: ChangeSet,
        { signal, contained }: OwnCheckContext
    ): Promise<readonly Finding[]> {
        const { matches, refuses } = this.options;
        const meant = changes.filter(
            ({ path, type, after, isIgnored }) =>
                !type && after !== null && isIgnored !== true && matches(path)
        );
        const bytes = changes.reduce((sum, { after }) => sum + (after?.length ?? 0), 0);
        if (meant.length === 0 || bytes > MAX_BYTES) return [];
        if ((await this.options.isAllowed?.()) === false) return [];
        // A newer version makes late findings about the older one worthless.
        this.tooLate?.abort();
        const stop = new AbortController();
        const run = this.run(changes, meant, { contained, signal: stop.signal });
        if (refuses) {
            signal.addEventListener("abort", () => stop.abort(), { once: true });
            return (await run).map((finding) =>
                finding.severity === "error" ? { ...finding, refuses: true } : finding
            );
        }
        const found = await within(REVIEW_MS, run, () => "late" as const);
        if (found !== "late") return found;
        this.tooLate = stop;
        void run.then(
            (findings) => this.tellLater(findings, viewOfChanges(changes).files),
            (error: unknown) => {
                if (!stop.signal.aborted) this.late.push(`${this.name}: ${messageOf(error)}`);
            }
        );
        return [];
    }

    async afterCall(): Promise<{ readonly note?: string }> {
        return this.takeLate();
    }

    async beforeMessage(): Promise<{ readonly note?: string }> {
        return this.takeLate();
    }

    private takeLate(): { readonly note?: string } {
        const note = this.late.join("\n");
        this.late = [];
        return note === "" ? {} : { note };
    }

    private tellLater(findings: readonly Finding[], files: View): void {
        for (const finding of findings) {
            const version = files.get(finding.path)?.afterHash?.slice(0, 7) ?? "";
            const text = `${finding.text} (\`${this.name}\`, in version ${version})`;
            this.late.push(findingLine({ ...finding, text }));
        }
    }

    /** What the command finds in the changed project but not in the current one. */
    private async run(
        changes: ChangeSet["changes"],
        meant: ChangeSet["changes"],
        { contained, signal }: Pick<OwnCheckContext, "contained" | "signal">
    ) {
        const { seconds } = this.options;
        if (!contained || !containsFirst(contained.mode)) {
            throw new Error("commands do not run contained");
        }
        const reason = await contained.unavailable();
        if (reason !== undefined) throw new Error(reason);
        const end = performance.now() + seconds * 1_000;
        const paths = meant.map(({ path }) => path);
        const found = await this.inspect(changes, paths, { contained, end, signal });
        const isAllNew = meant.every(({ before }) => before === null) && this.name.includes(FILES);
        if (found.length === 0 || isAllNew) return found.slice(0, MAX_FINDINGS);
        // Look at the old state too: a late check may run after the changes were written. If that
        // fails, all findings count as new.
        const undone = changes.map((change) => ({ ...change, after: change.before }));
        const before = await this.inspect(undone, paths, { contained, end, signal }).catch(
            () => []
        );
        signal.throwIfAborted();
        return newFindings(found, before, meant).slice(0, MAX_FINDINGS);
    }

    private async inspect(
        changes: ChangeSet["changes"],
        paths: readonly string[],
        { contained, end, signal }: InspectionOptions
    ): Promise<readonly Finding[]> {
        const { root, seconds } = this.options;
        // Links on the way are resolved: a view has real paths.
        const real = changes.map((each) => ({ ...each, path: each.realPath ?? each.path }));
        const files = changes.filter(({ path, after }) => after !== null && paths.includes(path));
        const names = files.map(({ path }) => quote(path)).join(" ");
        const command = this.name.replaceAll(FILES, () => names);
        const { outcome, needs } = await contained.run(command, root, {
            view: viewOfChanges(real),
            isOwn: true,
            timeoutMs: Math.max(end - performance.now(), 1),
            signal,
        });
        signal.throwIfAborted();
        const { exitCode, stdout, stderr, timedOut } = outcome;
        if (timedOut) throw new Error(`it did not finish in ${seconds} s`);
        const severity = exitCode === 0 ? "warning" : "error";
        const found = findingsIn(`${stdout}\n${stderr}`, { root, paths, severity });
        if (exitCode === 0) return found;
        // Findings prove that it ran, even if an edit applied meanwhile made it look refused.
        if (found.length > 0) return found;
        if (needs !== undefined) {
            throw new Error(`it cannot work contained (${needs})`);
        }
        const [first = ""] = `${stdout}\n${stderr}`.trim().split("\n");
        if (couldNotRun(outcome)) {
            throw new Error(`it could not run: ${first}`);
        }
        const text = `\`${this.name}\` exited with ${exitCode}: ${first}`;
        return [{ path: paths[0] ?? "", severity: "error", text }];
    }
}

/** Parses `a.ts:3:5: text`, `a.ts(3,5): text`, and `3:5 text` below a line with the file's name. */
function findingsIn(
    output: string,
    {
        root,
        paths,
        severity,
    }: { root: string; paths: readonly string[] } & Pick<Finding, "severity">
): readonly Finding[] {
    const names = [...paths]
        .sort((one, other) => other.length - one.length)
        .flatMap((path) => [`${root}/${path}`, `./${path}`, path].map((name) => ({ path, name })));
    const findings: Finding[] = [];
    let below: string | undefined;
    for (const line of output.split("\n").map((each) => each.trimEnd())) {
        const named = names.find(({ name }) => line.startsWith(name));
        const location = named ? line.slice(named.name.length) : line.trimStart();
        const path = named?.path ?? (line === location ? undefined : below);
        if (named && location === "") below = named.path;
        const found = (named ? /^[:(](\d+)[:,)]/ : /^(\d+):/).exec(location);
        if (!found || path === undefined) continue;
        const said = location.slice(found[0].length).replace(/^\d*[:)\s]*/, "");
        findings.push({ path, line: Number(found[1]), severity, text: said });
    }
    return findings;
}

/** Findings that were not there before. Compared by line text, since edits move lines. */
function newFindings(
    found: readonly Finding[],
    before: readonly Finding[],
    changes: readonly FileChange[]
): readonly Finding[] {
    const keyIn = (side: "before" | "after") => {
        const lines = new Map(
            changes.map((change) => [
                change.path,
                String(Buffer.from(change[side] ?? "")).split("\n"),
            ])
        );
        return ({ path, line = 0, text }: Finding) =>
            JSON.stringify([path, lines.get(path)?.[line - 1]?.trim(), text]);
    };
    const known = before.map(keyIn("before"));
    const keyOf = keyIn("after");
    return found.filter((finding) => {
        const index = known.indexOf(keyOf(finding));
        if (index >= 0) known.splice(index, 1);
        return index < 0;
    });
}
