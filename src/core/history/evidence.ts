import { groupBy } from "../../base/group-by.js";
import { isFields, type Fields, fieldsIn } from "../../base/fields.js";
import { counted, firstWords, localMinute, firstRows } from "../../base/format.js";
import type { ChangeEntry, DraftedEntry, Entry } from "../../plugin/index.js";
import { draftAfter, NO_DRAFT, type OpenDraft } from "../draft/open-draft.js";
import { isEdited } from "../draft/view.js";

/** Whether a change writes the draft exactly as it was. */
function isWholeDraft(entry: ChangeEntry | DraftedEntry, { view }: OpenDraft): boolean {
    if (entry.kind === "drafted" || !entry.applies || entry.files.length !== view.size) {
        return false;
    }
    return entry.files.every(({ path, beforeHash, afterHash }) => {
        const drafted = view.get(path);
        return drafted?.beforeHash === beforeHash && drafted.afterHash === afterHash;
    });
}

/** What a command line's text says about checks: tests, lints, type checks and builds. */
interface CommandReading {
    readonly checks: readonly {
        /** Equal for the same check, whatever wraps it. */
        readonly name: string;
        /** The part of the line it is in. */
        readonly statement: string;
        /** Whether the line's exit code shows its result. */
        readonly decides: boolean;
        /** Whether anything that may write files runs after it. */
        readonly isFollowed: boolean;
        /** Whether the text names files of the project that are written after it. */
        readonly isOverwritten: boolean;
    }[];
    /** Whether it may write files by other means than its checks. */
    readonly hasOthers: boolean;
    /** Whether a later command of the same shell runs the programs that it names. */
    readonly leavesShell: boolean;
    /** Whether the text names files of the project that it writes or deletes. */
    readonly writesFiles: boolean;
}

/** `cwd`: the folder it was called in, if not the session's. */
export type ReadChecks = (command: string, cwd?: string) => Promise<CommandReading>;

interface CheckResult {
    /** As typed, without the statements around it. */
    readonly command: string;
    /** `unknown`: the exit code was not the check's, as in `npm test | tail`. */
    readonly result: "passed" | "failed" | "unknown";
    /** An earlier command may have changed what its name runs; such a result is unknown. */
    readonly isShellChanged?: boolean;
    readonly exitCode: number;
    /** Milliseconds since 1970. */
    readonly at: number;
    readonly isAfterLastEdit: boolean;
}

export interface Evidence {
    /** One line: `3 files edited · npm test failed 14:02 · tsc passed 14:01, before the last edit`. */
    readonly text: string;
    /** Files of the project that the turn wrote. */
    readonly filesEdited: number;
    /** Files that the turn changed in the draft and left there. */
    readonly filesDrafted: number;
    /** The last result of each check of the conversation so far, failures first. */
    readonly checks: readonly CheckResult[];
}

/** Evidence for the turn that started at entry `from`; `undefined` if it edited nothing. */
export async function evidenceOf(
    entries: readonly Entry[],
    from: number,
    readChecks: ReadChecks
): Promise<Evidence | undefined> {
    const gathered = new GatheredEvidence(readChecks);
    for (const [index, entry] of entries.entries()) {
        if (index === from) gathered.beginTurn();
        await gathered.apply(entry);
    }
    return gathered.evidence;
}

/** Evidence of each turn that edited something, by the id of the turn's last entry. */
export async function evidenceByTurn(
    entries: readonly Entry[],
    readChecks: ReadChecks
): Promise<ReadonlyMap<string, Evidence>> {
    const gathered = new GatheredEvidence(readChecks);
    const found = new Map<string, Evidence>();
    for (const [index, entry] of entries.entries()) {
        if (entry.kind === "user") gathered.beginTurn();
        await gathered.apply(entry);
        const next = entries[index + 1];
        const { evidence } = next === undefined || next.kind === "user" ? gathered : {};
        if (evidence) found.set(entry.id, evidence);
    }
    return found;
}

/** The shell's codes for a program that cannot be executed, or is not found: nothing was checked. */
const NOT_RUN = new Set([126, 127]);

/** How all of a command's changes are where it was tested. */
const WHOLE = new Set<unknown>(["all", "drafted"]);

interface RanCommand {
    readonly command: string;
    readonly cwd?: string;
}

class GatheredEvidence {
    private readonly edited = new Set<string>();
    /** The files of each drafted change in effect, by its ID. */
    private readonly drafted = new Map<string, readonly string[]>();
    private readonly undos = new Set<string>();
    private readonly commands = new Map<string, RanCommand>();
    /** The last result by the check's name; one command may give the result of several. */
    private readonly results = new Map<string, CheckResult>();
    private lastChange: ChangeEntry | DraftedEntry | undefined;
    private draft = NO_DRAFT;
    private isDrafting = false;
    /** An earlier command may have changed which program a name runs in the session. */
    private isShellChanged = false;

    constructor(private readonly readChecks: ReadChecks) {}

    get evidence(): Evidence | undefined {
        const filesEdited = this.edited.size;
        const inDraft = [...this.drafted.values()]
            .flat()
            .filter((path) => this.draft.view.has(path));
        const filesDrafted = new Set(inDraft).size;
        if (filesEdited + filesDrafted === 0) return undefined;
        const checks = [...new Set(this.results.values())].sort(
            (one, other) =>
                RANKS[one.result] - RANKS[other.result] ||
                Number(other.isAfterLastEdit) - Number(one.isAfterLastEdit) ||
                one.at - other.at
        );
        const counts = { filesEdited, filesDrafted };
        return { text: evidenceLine(counts, checks), ...counts, checks };
    }

    beginTurn(): void {
        this.edited.clear();
        this.drafted.clear();
    }

    async apply(entry: Entry): Promise<void> {
        switch (entry.kind) {
            case "user":
                this.isDrafting = entry.mode === "draft";
                return;
            case "change":
            case "drafted":
                this.noteFiles(entry);
                // An applied draft leaves the bytes that were tested.
                if (!isWholeDraft(entry, this.draft)) {
                    this.lastChange = entry;
                    this.outdate();
                }
                this.draft = draftAfter(this.draft, entry);
                return;
            case "assistant":
                for (const part of entry.content) {
                    if (part.type !== "tool-call") continue;
                    const { command, cwd } = part.input;
                    if (typeof command !== "string") continue;
                    const given = typeof cwd === "string" ? { cwd } : {};
                    this.commands.set(part.callId, { command, ...given });
                }
                return;
            case "tool_result": {
                // Only of commands, and parsing all results of a conversation takes long.
                if (!entry.content.includes('"exitCode"')) return;
                const { data: found } = fieldsIn(entry.content) ?? {};
                const data = isFields(found) ? found : {};
                const job =
                    typeof data.command === "string" ? { command: data.command } : undefined;
                const command = this.commands.get(entry.callId) ?? job;
                if (command) await this.applyRun(command, { data, ...entry });
                return;
            }
            case "command": {
                const { exitCode, argumentsText: command, at } = entry;
                if (exitCode === undefined) return;
                this.conclude([command], { command, exitCode, at, isAfterLastEdit: true });
                return;
            }
            default:
        }
    }

    private noteFiles(entry: ChangeEntry | DraftedEntry): void {
        const { id, kind, undoes = [] } = entry;
        const paths = entry.files.filter(isEdited).map(({ path }) => path);
        if (kind === "change") {
            for (const path of paths) this.edited.add(path);
            if (entry.applies) this.drafted.clear();
            return;
        }
        for (const undone of undoes) this.drafted.delete(undone);
        const isUndo = undoes.length > 0 && !undoes.some((undone) => this.undos.has(undone));
        if (isUndo) this.undos.add(id);
        else this.drafted.set(id, paths);
    }

    private async applyRun(
        { command, cwd }: RanCommand,
        {
            data,
            callId,
            at,
        }: { readonly data: Fields; readonly callId: string; readonly at: number }
    ): Promise<void> {
        const { exitCode } = data;
        if (typeof exitCode !== "number") return;
        const { checks, hasOthers, ...reading } = await this.readChecks(command, cwd);
        // Of a real run no effects are recorded, so that what its text shows has to do.
        const isReal = data.contained !== true;
        if (isReal && reading.writesFiles) this.outdate();
        // Contained commands start in their own shell, whose state North knows.
        const isOther = isReal ? this.isShellChanged : data.shellChanged === true;
        this.isShellChanged ||= !reading.leavesShell;
        if (NOT_RUN.has(exitCode) || checks.length === 0) return;
        // A real run does not see the draft.
        if (isReal && this.isDrafting && this.draft.view.size > 0) return;

        const { effects } = data;
        const isUnapplied = isFields(effects) && !WHOLE.has(effects.applied);
        // The files have changed since, or it did not end by itself.
        const isUnknown = isOther || (isUnapplied && hasOthers) || data.timedOut === true;
        const hasChanged = this.lastChange?.callId === callId;
        const startedAt = typeof data.startedAt === "number" ? data.startedAt : Infinity;
        const isCurrent = (this.lastChange?.at ?? 0) <= startedAt;
        // Those of a line whose results are known or unknown together.
        const groups = groupBy(checks, (check) => `${check.decides} ${check.statement}`);
        for (const group of groups.values()) {
            const [{ statement, decides }] = group;
            const isOutdated = group.some(
                ({ isFollowed, isOverwritten }) =>
                    (hasChanged && isFollowed) || (isReal && isOverwritten)
            );
            const facts = {
                command: statement,
                exitCode,
                at,
                ...(isOther && { isShellChanged: true }),
            };
            this.conclude(
                group.map(({ name }) => name),
                { ...facts, isAfterLastEdit: isCurrent && !isOutdated },
                decides && !isUnknown
            );
        }
    }

    /** A result of several joined checks stands until each of them has a later one. */
    private conclude(
        names: readonly string[],
        run: Omit<CheckResult, "result">,
        isKnown = true
    ): void {
        const result = !isKnown ? "unknown" : run.exitCode === 0 ? "passed" : "failed";
        const concluded = { ...run, result } as const;
        for (const name of names) this.results.set(name, concluded);
        if (result === "unknown") return;
        // The whole suite supersedes a part of it: `pytest` after `pytest a.py`.
        for (const name of [...this.results.keys()]) {
            const isPart = names.some((whole) => name.startsWith(`${whole} `));
            if (isPart) this.results.set(name, concluded);
        }
    }

    /** The files have changed since all checks. */
    private outdate(): void {
        const outdated = new Map<CheckResult, CheckResult>();
        for (const [name, result] of this.results) {
            if (!result.isAfterLastEdit) continue;
            const later = outdated.get(result) ?? { ...result, isAfterLastEdit: false };
            outdated.set(result, later);
            this.results.set(name, later);
        }
    }
}

const RANKS = { failed: 0, unknown: 1, passed: 2 };
const MAX_CHECKS = 4;
const MAX_COMMAND_CHARACTERS = 60;

function evidenceLine(
    { filesEdited, filesDrafted }: Pick<Evidence, "filesEdited" | "filesDrafted">,
    checks: readonly CheckResult[]
): string {
    const edited = filesEdited > 0 ? `${counted(filesEdited, "file")} edited` : undefined;
    const drafted = edited === undefined ? counted(filesDrafted, "file") : String(filesDrafted);
    const results = checks.map(({ command, result, at, isAfterLastEdit, isShellChanged }) => {
        const said = firstWords(command, MAX_COMMAND_CHARACTERS);
        const minute = localMinute(at).split(" ").at(-1);
        const why = isShellChanged ? " (an earlier command changed the shell)" : "";
        const end =
            result === "unknown" ? `ended ${minute}, result unknown${why}` : `${result} ${minute}`;
        return `${said} ${end}${isAfterLastEdit ? "" : ", before the last edit"}`;
    });
    const shown = firstRows(results, MAX_CHECKS, (more) => `${more} more`);
    return [
        [edited ?? [], filesDrafted > 0 ? `${drafted} drafted` : []].flat().join(", "),
        ...(shown.length === 0 ? ["not tested since the last edit"] : shown),
    ].join(" · ");
}
