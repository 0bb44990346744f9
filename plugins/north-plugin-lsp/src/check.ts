import {
    type ChangeSet,
    type Check,
    type CheckContext,
    type CheckedCall,
    type FileChange,
    type Finding,
    isExpectedError,
    type Objection,
} from "north-cli/plugin";
import { MAX_FILE_BYTES } from "./limits.js";
import { newProblems } from "./new-problems.js";
import type { Pool } from "./pool.js";
import type { Server } from "./server.js";
import { isSetting, kindFor } from "./servers.js";

const MAX_FILES = 50;
const MAX_FINDINGS = 10;

type Told = Pick<Objection, "note" | "notice">;

/**
 * Reports the errors that a proposed change introduces. The review waits for a few seconds; what is
 * found later goes to the model, unless another proposal has come meanwhile.
 */
export class TypesCheck implements Check {
    readonly name = "types";
    readonly timeLimitMs: number;
    private late: string[] = [];
    /** For the user: why something was not checked. */
    private unchecked: string[] = [];
    private readonly told = new Set<string>();
    /** For runs whose findings nobody waits for. */
    private unwaited = new AbortController();

    constructor(private readonly pool: Pool) {
        this.timeLimitMs = pool.limits.review + 2_000;
    }

    async onProposal({ changes }: ChangeSet, context: CheckContext): Promise<readonly Finding[]> {
        // What is found late in an older proposal is worthless.
        this.unwaited.abort();
        this.unwaited = new AbortController();
        const stop = new AbortController();
        const { signal } = stop;
        const groups = this.grouped(changes);
        if (groups.size === 0) return [];
        const caller = { ...context, signal };
        const work = Promise.all(
            [...groups].map(([server, own]) => newProblems(server, own, caller))
        ).then((found) => shortened(found.flat()));
        let isLate = false;
        void work.then(
            (findings) => isLate && this.tellLater(findings, signal),
            (error: unknown) => isLate && this.failLater(error, signal)
        );
        const limit = new Promise<"late">((resolve) => {
            setTimeout(() => resolve("late"), this.pool.limits.review).unref();
        });
        const found = await Promise.race([work, limit]).catch((error: unknown) => {
            if (!isUnavailable(error)) throw error;
            this.tellOnce(error.message);
            return [];
        });
        if (found !== "late") return found;
        isLate = true;
        this.unwaited.signal.addEventListener("abort", () => stop.abort(), { once: true });
        return [];
    }

    async afterCall(call: CheckedCall, context: CheckContext): Promise<Told> {
        this.warmUp(call, context);
        return this.takeTold();
    }

    async beforeMessage(): Promise<Told> {
        return this.takeTold();
    }

    /** Starts a server once the model reads a file that it may edit next. */
    private warmUp({ input }: CheckedCall, context: CheckContext): void {
        const { path: file } = input;
        const mayEdit = context.mode === "agent" || context.mode === "draft";
        if (!mayEdit || typeof file !== "string" || !kindFor(file)) return;
        const server = this.pool.for(file);
        if (server.isRunning || !server.isInstalled) return;
        const { signal } = this.unwaited;
        void server.use({ ...context, signal }, (session) => session.show()).catch(() => {});
    }

    private grouped(changes: readonly FileChange[]): ReadonlyMap<Server, readonly FileChange[]> {
        const groups = new Map<Server, FileChange[]>();
        for (const change of changes.filter(isText)) {
            if (!kindFor(change.path)) continue;
            const server = this.pool.for(change.path);
            if (server.isInstalled) groups.set(server, [...(groups.get(server) ?? []), change]);
            else this.tellOnce(`${server.kind.program} is not installed (${server.kind.install}).`);
        }
        for (const [server, own] of groups) {
            // With other settings it would have to restart, and would find other things.
            const other = changes.find(({ path }) => isSetting(server.kind, path));
            if (!other && own.length <= MAX_FILES) continue;
            groups.delete(server);
            const reason = other ? `${other.path} changes too` : `${own.length} files change`;
            this.unchecked.push(`Types were not checked: ${reason}.`);
        }
        return groups;
    }

    private tellOnce(reason: string): void {
        if (!this.told.has(reason)) this.unchecked.push(`Types are not checked: ${reason}`);
        this.told.add(reason);
    }

    private tellLater(findings: readonly Finding[], signal: AbortSignal): void {
        if (signal.aborted || findings.length === 0) return;
        const lines = findings.map(({ path, line, text }) => `${path}:${line}: error: ${text}`);
        this.late.push(`Found in the proposed change after the review:\n${lines.join("\n")}`);
    }

    private failLater(error: unknown, signal: AbortSignal): void {
        if (signal.aborted || isUnavailable(error)) return;
        const reason = error instanceof Error ? error.message : String(error);
        this.late.push(`Types were not checked: ${reason}`);
    }

    private takeTold(): Told {
        const [note, notice] = [this.late, this.unchecked].map((texts) => texts.join("\n"));
        this.late = [];
        this.unchecked = [];
        return { ...(note && { note }), ...(notice && { notice }) };
    }
}

function isText({ type, typeBefore, isIgnored, before, after }: FileChange): boolean {
    const fits = (content: Uint8Array | null) =>
        content === null || (content.length <= MAX_FILE_BYTES && !content.includes(0));
    return !type && !typeBefore && isIgnored !== true && fits(before) && fits(after);
}

/** Nothing is wrong: there is just no server here. */
function isUnavailable(error: unknown): error is Error {
    return (
        isExpectedError(error) && ["no-language-server", "containment-failed"].includes(error.code)
    );
}

function shortened(findings: readonly Finding[]): readonly Finding[] {
    const [first] = findings.slice(MAX_FINDINGS);
    if (first === undefined) return findings;
    const more = `and ${findings.length - MAX_FINDINGS} more`;
    return [
        ...findings.slice(0, MAX_FINDINGS),
        { path: first.path, severity: "error", text: more },
    ];
}
