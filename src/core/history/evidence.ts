import { isFields } from "../../base/fields.js";
import { counted, localMinute } from "../../base/format.js";
import type { Entry } from "../../plugin/index.js";

/** Whether a command's exit code shows that a test, lint or type check passed. */
export type IsCheck = (command: string) => Promise<boolean>;

/** Evidence that a turn's edits work: the last command that checks them. */
export interface Evidence {
    /** One line: `3 files edited · npm test passed 14:02, before the last edit`. */
    readonly text: string;
    readonly filesEdited: number;
    /** Absent if the conversation has run no check so far. */
    readonly lastCheck?: {
        readonly command: string;
        readonly exitCode: number;
        /** Milliseconds since 1970. */
        readonly at: number;
        readonly isAfterLastEdit: boolean;
    };
}

/** Evidence for the turn that started at entry `from`; `undefined` if it edited nothing. */
export async function evidenceOf(
    entries: readonly Entry[],
    from: number,
    isCheck: IsCheck
): Promise<Evidence | undefined> {
    const gathered = new GatheredEvidence(await checksIn(entries, isCheck));
    for (const [index, entry] of entries.entries()) {
        if (index === from) gathered.beginTurn();
        gathered.apply(entry);
    }
    return gathered.evidence;
}

/** Evidence of each turn that edited something, by the id of the turn's last entry. */
export async function evidenceByTurn(
    entries: readonly Entry[],
    isCheck: IsCheck
): Promise<ReadonlyMap<string, Evidence>> {
    const gathered = new GatheredEvidence(await checksIn(entries, isCheck));
    const found = new Map<string, Evidence>();
    for (const [index, entry] of entries.entries()) {
        if (entry.kind === "user") gathered.beginTurn();
        gathered.apply(entry);
        const next = entries[index + 1];
        const { evidence } = next === undefined || next.kind === "user" ? gathered : {};
        if (evidence) found.set(entry.id, evidence);
    }
    return found;
}

/** The commands of calls that ran a check, by call. */
async function checksIn(
    entries: readonly Entry[],
    isCheck: IsCheck
): Promise<ReadonlyMap<string, string>> {
    const checks = new Map<string, string>();
    const known = new Map<string, boolean>();
    for (const entry of entries) {
        if (entry.kind !== "assistant") continue;
        for (const part of entry.content) {
            const command = part.type === "tool-call" ? part.input.command : undefined;
            if (part.type !== "tool-call" || typeof command !== "string") continue;
            const answer = known.get(command) ?? (await isCheck(command));
            known.set(command, answer);
            if (answer) checks.set(part.callId, command);
        }
    }
    return checks;
}

/** The shell found no such program, so nothing was checked. */
const NOT_FOUND = 127;

class GatheredEvidence {
    private readonly edited = new Set<string>();
    private check: Evidence["lastCheck"];

    constructor(private readonly checks: ReadonlyMap<string, string>) {}

    get evidence(): Evidence | undefined {
        const { check, edited } = this;
        if (edited.size === 0) return undefined;
        const facts = { filesEdited: edited.size, ...(check && { lastCheck: check }) };
        return { text: evidenceLine(facts), ...facts };
    }

    beginTurn(): void {
        this.edited.clear();
    }

    apply(entry: Entry): void {
        switch (entry.kind) {
            case "change":
                for (const { path, type } of entry.files) {
                    if (type !== "folder") this.edited.add(path);
                }
                if (this.check) this.check = { ...this.check, isAfterLastEdit: false };
                return;
            case "tool_result": {
                const command = this.checks.get(entry.callId);
                const exitCode = command === undefined ? undefined : exitCodeIn(entry.content);
                if (command === undefined || exitCode === undefined) return;
                if (exitCode === NOT_FOUND) return;
                this.check = { command, exitCode, at: entry.at, isAfterLastEdit: true };
                return;
            }
            case "command": {
                const { exitCode, argumentsText: command, at } = entry;
                if (exitCode !== undefined) {
                    this.check = { command, exitCode, at, isAfterLastEdit: true };
                }
                return;
            }
            default:
        }
    }
}

function evidenceLine({ filesEdited, lastCheck }: Omit<Evidence, "text">): string {
    const edited = `${counted(filesEdited, "file")} edited`;
    if (lastCheck === undefined) return `${edited} · not tested since the last edit`;
    const { command, exitCode, at, isAfterLastEdit } = lastCheck;
    const end = exitCode === 0 ? "passed" : "failed";
    const minute = localMinute(at).split(" ").at(-1);
    const before = isAfterLastEdit ? "" : ", before the last edit";
    return `${edited} · ${command.replace(/\s+/g, " ")} ${end} ${minute}${before}`;
}

function exitCodeIn(content: string): number | undefined {
    try {
        const result: unknown = JSON.parse(content);
        const data = isFields(result) && isFields(result.data) ? result.data : {};
        return typeof data.exitCode === "number" ? data.exitCode : undefined;
    } catch {
        return undefined;
    }
}
