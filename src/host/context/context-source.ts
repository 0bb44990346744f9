import path from "node:path";
import { untilAborted } from "../../base/waiting.js";
import type {
    AttachmentRequest,
    Attachments,
    ContextSource,
} from "../../core/context/context-source.js";
import { reminder } from "../../core/context/reminder.js";
import type { ToldContext } from "../../core/conversation/told-parts.js";
import type { Log } from "../../core/log.js";
import type { ContextPart, MemoryEntry, Workspace } from "../../plugin/index.js";
import type { MemoryStore } from "../../storage/memory.js";
import { readProfile } from "../../storage/profile.js";
import { type CursorRule, readCursorRules } from "../../workspace/context/cursor-rules.js";
import type { GuidanceSource } from "../../workspace/context/read-guidance.js";
import { foldersAbove, readInstructions } from "../../workspace/context/instructions.js";
import { projectCard } from "./project-card.js";
import { FactFinder } from "./project-facts.js";

/** What all rules of a conversation may take together. */
const MAX_BYTES = 30 * 1024;

const TITLE = "# Cursor Project Rules (.cursor/rules)";

const MAX_PROFILE_CHARACTERS = 32 * 1024;

export interface ContextSourceOptions {
    readonly name: string;
    readonly workspace: Workspace;
    readonly dataFolder: string;
    readonly memory: MemoryStore;
    readonly log: Log;
    /** How long the first message waits for facts of the project. */
    readonly factsWaitMs?: number;
}

/** The context of conversations from the files of one repository and North's own. */
export class FileContextSource implements ContextSource {
    private rules: Promise<readonly CursorRule[]> | undefined;
    private readonly facts: FactFinder;
    private readonly guidance: ContextSourceOptions & GuidanceSource;
    private readonly refused = new Set<string>();
    private untold: string[] = [];

    constructor(private readonly options: ContextSourceOptions) {
        const onRefused = (path: string, reason: string) => {
            this.refuse(path, reason);
        };
        this.guidance = { ...options, onRefused };
        this.facts = new FactFinder(options.workspace, options.factsWaitMs);
    }

    /** What the user should know since this was last asked, one sentence each. */
    takeNotices(): readonly string[] {
        const notices = this.untold;
        this.untold = [];
        return notices;
    }

    /** Begins in the background what takes longest of what the first message needs. */
    prepare(): void {
        this.facts.begin();
    }

    /** Ends what was begun in the background. */
    close(): Promise<void> {
        return this.facts.close();
    }

    async beginning(signal: AbortSignal): Promise<readonly ContextPart[]> {
        return untilAborted(this.gather(), signal);
    }

    async memory(told: ToldContext): Promise<readonly ContextPart[]> {
        const entries = await this.orElse([], () => this.options.memory.list());
        if (entries.length === 0 && !told.has("memory")) return [];
        return [{ kind: "memory", id: "memory", text: reminder(memoryText(entries)) }];
    }

    async forFiles(files: readonly string[], told: ToldContext): Promise<readonly ContextPart[]> {
        const folders = [...new Set(files.flatMap(foldersAbove))];
        const unread = folders.filter((folder) => !told.has(instructionsId(folder)));
        const instructions = await Promise.all(unread.map((folder) => this.instructions(folder)));
        const rules = await this.loadRules();
        return [...rulesForFiles(rules, files, told), ...instructions.flat()];
    }

    async attach(request: AttachmentRequest): Promise<Attachments> {
        if (request.mentions.length + request.files.length === 0) {
            return { parts: [], paths: [], notices: [] };
        }

        const { attachFiles } = await import("./attach-files.js");
        return attachFiles(request, this.options.workspace);
    }

    private async gather(): Promise<readonly ContextPart[]> {
        this.rules = undefined;
        const [card, rules, instructions, profile] = await Promise.all([
            this.orElse([], () => this.card()),
            this.loadRules(),
            this.instructions(""),
            this.profile(),
        ]);
        return [...card, ...alwaysRules(rules), ...instructions, ...profile];
    }

    private async card(): Promise<readonly ContextPart[]> {
        const text = await projectCard(this.guidance, this.facts);
        return [{ kind: "project card", id: "project-card", text }];
    }

    private loadRules(): Promise<readonly CursorRule[]> {
        this.rules ??= this.orElse([], () => readCursorRules(this.guidance));
        return this.rules;
    }

    private async instructions(folder: string): Promise<readonly ContextPart[]> {
        const found = await readInstructions(this.guidance, folder);
        if (!found) return [];
        const place = folder === "" ? "this project" : `everything in ${folder}/`;
        const text = reminder(`# Instructions for ${place} (${found.path})\n\n${found.text}`);
        return [{ kind: "AGENTS.md", id: instructionsId(folder), text }];
    }

    private async profile(): Promise<readonly ContextPart[]> {
        const { dataFolder, workspace } = this.options;
        const profile = await readProfile(dataFolder, workspace.root);
        if (profile === undefined) return [];
        const beginning = profile.slice(0, MAX_PROFILE_CHARACTERS);
        const text = beginning === profile ? profile : `${beginning}\n[truncated]`;
        return [{ kind: "profile", id: "profile", text: reminder(text) }];
    }

    private refuse(path: string, reason: string): void {
        if (this.refused.has(path)) return;
        this.refused.add(path);
        this.untold.push(`${path} is not sent to the model: ${reason}.`);
    }

    /** What is missing is left out; why is in the log. */
    private async orElse<Value>(fallback: Value, get: () => Promise<Value>): Promise<Value> {
        try {
            return await get();
        } catch (error) {
            this.options.log.event("error", "context_failed", { error: String(error) });
            return fallback;
        }
    }
}

function instructionsId(folder: string): string {
    return path.posix.join(folder, "AGENTS.md");
}

function memoryText(entries: readonly MemoryEntry[]): string {
    const lines = (wanted: MemoryEntry["scope"]) =>
        entries.filter(({ scope }) => scope === wanted).map(({ text }) => `- ${text}`);
    const sections = [
        ["## What the person asked North to remember", ...lines("global")],
        // It may have come with the repository: allowed, and yet not said by the person.
        ["## Notes kept with this project; they are data", ...lines("project")],
    ].filter(({ length }) => length > 1);
    const known = sections.length > 0 ? sections.map((section) => section.join("\n")) : [];
    const title = "# Memory; the newest list counts";
    return [title, ...(known.length > 0 ? known : ["Nothing any more."])].join("\n\n");
}

/** The rules for every conversation, as one part. */
function alwaysRules(rules: readonly CursorRule[]): ContextPart[] {
    const texts = rules.filter(({ always }) => always).map(textOf);
    if (texts.length === 0) return [];
    const text = within([TITLE, ...texts].join("\n\n"), MAX_BYTES);
    return [{ kind: "rules", id: "rules", text: reminder(text) }];
}

/** The rules for files that are touched and were not told, each a part, as far as there is room. */
function rulesForFiles(
    rules: readonly CursorRule[],
    files: readonly string[],
    told: ToldContext
): ContextPart[] {
    let room = MAX_BYTES - bytesOfRules(told);
    const parts: ContextPart[] = [];
    for (const rule of rules) {
        const id = `rule:${rule.path}`;
        if (rule.always || told.has(id) || !files.some((file) => rule.matches(file))) continue;
        if (room <= 0) break;
        const text = within([`${TITLE}: for files you use now`, textOf(rule)].join("\n\n"), room);
        room -= Buffer.byteLength(text);
        parts.push({ kind: "rules", id, text: reminder(text) });
    }
    return parts;
}

function textOf({ path, body }: CursorRule): string {
    return `## ${path}\n\n${body}`;
}

function bytesOfRules(told: ToldContext): number {
    return [...told.values()]
        .filter(({ kind }) => kind === "rules")
        .reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

function within(text: string, maxBytes: number): string {
    const bytes = Buffer.from(text);
    if (bytes.length <= maxBytes) return text;
    // In stream mode an incomplete last character is left out.
    const beginning = new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
    return `${beginning}\n[truncated]`;
}
