import { oneLine } from "../../base/format.js";
import { messageOf } from "../../base/system-error.js";
import { isFields } from "../../base/fields.js";
import { Once } from "../../base/once.js";
import { untilAborted, within } from "../../base/waiting.js";
import { reminder } from "../../core/message/reminder.js";
import type { Log } from "../../core/log.js";
import { OWN_PLUGIN, type Owned } from "../../core/registry/registry.js";
import type {
    ContextPart,
    ContextRequest,
    ContextSource,
    Mode,
    SentParts,
    Workspace,
} from "../../plugin/index.js";
import { readGuidance } from "../../workspace/context/read-guidance.js";
import { withinBytes } from "./rules-source.js";

const LIMIT_MS = 5_000;
const CLOSE_MS = 500;
const MAX_BYTES = 64 * 1024;
const MAX_PARTS = 50;

interface ProjectContextOptions {
    readonly workspace: Workspace;
    readonly sources: readonly Owned<ContextSource>[];
    readonly log: Log;
}

type Ask = (source: ContextSource, request: ContextRequest) => ReturnType<AskedMethod> | undefined;
type AskedMethod = NonNullable<ContextSource["begin"]>;

/** The context that North's and plugins' sources contribute to conversations in one repository. */
export class ProjectContext {
    private readonly guidance: ContextRequest["guidance"];
    private readonly reported = new Once();
    private notices: string[] = [];
    private readonly hung = new Set<ContextSource>();

    constructor(private readonly options: ProjectContextOptions) {
        const { workspace } = options;
        const onRefused = (path: string, reason: string) =>
            this.notify(`${path} is not sent to the model: ${reason}.`);
        this.guidance = (path, maxBytes) => readGuidance({ workspace, onRefused }, path, maxBytes);
    }

    /** Notices for the user since the last call, one sentence each. */
    takeNotices(): readonly string[] {
        const { notices } = this;
        this.notices = [];
        return notices;
    }

    /** Starts the slowest work for the first message in the background. */
    prepare(): void {
        const { workspace } = this.options;
        for (const owned of this.options.sources) {
            try {
                owned.value.prepare?.({ workspace, guidance: this.guidance });
            } catch (error) {
                this.fail(owned, error);
            }
        }
    }

    async close(): Promise<void> {
        const closing = this.options.sources.map(async ({ value }) => value.close?.());
        await within(CLOSE_MS, Promise.allSettled(closing), () => {});
    }

    begin(sent: SentParts, signal: AbortSignal): Promise<readonly ContextPart[]> {
        return this.gather((source, request) => source.begin?.(request), sent, signal);
    }

    forMessage(
        message: { readonly text: string; readonly mode: Mode },
        sent: SentParts,
        signal: AbortSignal
    ): Promise<readonly ContextPart[]> {
        return this.gather(
            (source, request) => source.forMessage?.(message, request),
            sent,
            signal
        );
    }

    async forFiles(
        paths: readonly string[],
        sent: SentParts,
        signal: AbortSignal
    ): Promise<readonly ContextPart[]> {
        if (paths.length === 0) return [];
        return this.gather((source, request) => source.forFiles?.(paths, request), sent, signal);
    }

    /** New or changed parts, in the order of the sources. */
    private async gather(
        ask: Ask,
        sent: SentParts,
        signal: AbortSignal
    ): Promise<readonly ContextPart[]> {
        const { sources } = this.options;
        const gathered = sources.map((owned) => this.partsOf(owned, ask, sent, signal));
        const parts = await untilAborted(Promise.all(gathered), signal);
        return parts.flat().filter(({ id, text }) => sent.get(id)?.text !== text);
    }

    private async partsOf(
        owned: Owned<ContextSource>,
        ask: Ask,
        sent: SentParts,
        signal: AbortSignal
    ): Promise<readonly ContextPart[]> {
        const { value: source, plugin } = owned;
        if (this.hung.has(source)) return [];
        // A plugin's source neither sees nor replaces the parts of others.
        const prefix = plugin === OWN_PLUGIN ? "" : `${plugin}:`;
        const { workspace } = this.options;
        const request = { workspace, sent: sentBy(prefix, sent), signal, guidance: this.guidance };
        try {
            const asked = Promise.resolve(ask(source, request));
            const late = () => {
                this.hung.add(source);
                throw new Error("it did not answer in 5 s and is not asked again");
            };
            // A busy machine must not cost the project's own instructions.
            const parts = await (prefix === "" ? asked : within(LIMIT_MS, asked, late));
            if (parts === undefined) return [];
            const kept = bounded(parts);
            if (kept.length < parts.length || kept.some(({ text }, i) => text !== parts[i]?.text)) {
                const rest = "more than 64 KB or 50 parts, which were cut";
                if (plugin === OWN_PLUGIN) this.notify(`The ${source.name} have ${rest}.`);
                this.fail(owned, new Error(`it returned ${rest}`));
            }
            return kept.map((part) => asSent(part, prefix));
        } catch (error) {
            if (!signal.aborted) this.fail(owned, error);
            return [];
        }
    }

    private fail({ plugin, value: { name } }: Owned<ContextSource>, error: unknown): void {
        this.options.log.event("error", "context_failed", { source: name, error: String(error) });
        if (plugin === OWN_PLUGIN) return;
        const reason = messageOf(error);
        this.notify(`${plugin}: the context source ${name} failed: ${reason.split("\n")[0]}.`);
    }

    private notify(notice: string): void {
        if (this.reported.first(notice)) this.notices.push(notice);
    }
}

function sentBy(prefix: string, sent: SentParts): SentParts {
    if (prefix === "") return sent;
    const own = [...sent].filter(([id]) => id.startsWith(prefix));
    return new Map(own.map(([id, part]) => [id.slice(prefix.length), part]));
}

function bounded(parts: readonly ContextPart[]): readonly ContextPart[] {
    if (!Array.isArray(parts)) throw new Error("it did not return a list");
    let room = MAX_BYTES;
    return parts.slice(0, MAX_PARTS).flatMap((part: unknown) => {
        if (!isPart(part)) throw new Error("a part needs kind, id and text");
        if (room <= 0) return [];
        const text = withinBytes(part.text, room);
        room -= Buffer.byteLength(text);
        return [{ ...part, text }];
    });
}

function isPart(value: unknown): value is ContextPart {
    if (!isFields(value)) return false;
    const { kind, id, text, origin = "" } = value;
    return [kind, id, text, origin].every((field) => typeof field === "string");
}

const MAX_CHARACTERS = 200;

export function asSent(part: ContextPart, prefix: string): ContextPart {
    const { kind, id, text, origin, fromOutside } = part;
    return {
        kind: oneLine(kind).slice(0, MAX_CHARACTERS),
        id: `${prefix}${id}`,
        text: reminder(text),
        ...(origin !== undefined && { origin: oneLine(origin).slice(0, MAX_CHARACTERS) }),
        ...(fromOutside && { fromOutside }),
    };
}
