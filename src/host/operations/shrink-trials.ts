import { counted, formatInteger } from "../../base/format.js";
import { isBinary } from "../../base/binary.js";
import { NorthError } from "../../base/north-error.js";
import { sha256 } from "../../base/sha256.js";
import { languageOf } from "../../code/languages.js";
import { parseInWorker } from "../../code/parse-in-worker.js";
import { unlessTooComplex } from "../../code/too-complex.js";
import type { Hunk } from "../../core/diff/split-changes.js";
import { viewOfChanges } from "../../core/draft/view.js";
import type { ChangeSet } from "../../plugin/index.js";
import { type CheckRequest, CHOOSE_ANOTHER, type RunCheck } from "./check-in-view.js";

export interface ShrinkRequest extends CheckRequest {
    /** Default: the open draft. */
    readonly turn?: number | undefined;
    /** No run begins later than this. */
    readonly maxTimeMs: number;
}

/** What is left out of a change, hunk by hunk. */
interface TriedChange {
    readonly name: string;
    readonly hunks: readonly Hunk[];
    /** The project with these hunks, as changes to the current one. */
    left(kept: readonly Hunk[]): ChangeSet;
}

/** Runs a check with parts of a change, once for each resulting tree. */
export class ShrinkTrials {
    runs = 0;
    private readonly answers = new Map<string, boolean>();
    private readonly errorCounts = new Map<string, Promise<number>>();
    private readonly endsAt: number;

    constructor(
        private readonly check: RunCheck,
        private readonly request: ShrinkRequest,
        private readonly tried: TriedChange
    ) {
        this.endsAt = Date.now() + request.maxTimeMs;
    }

    /** Rejects with `shrink-impossible` unless the check passes with all hunks and fails without. */
    async mustTellApart(): Promise<void> {
        const { name, hunks } = this.tried;
        const command = `\`${this.request.command}\``;
        const all = await this.run(hunks);
        if (!all.passes) {
            const { outcome, obstacle = `it exits with ${outcome.exitCode}` } = all;
            throw impossible(`${command} does not pass with all of ${name}: ${obstacle}.`);
        }
        if ((await this.run([])).passes) {
            const what = `${name}'s ${counted(hunks.length, "hunk")} of code`;
            throw impossible(
                `${command} passes without ${what} too, so it cannot tell what is needed.`
            );
        }
    }

    /** Whether the check passes with these hunks; `undefined` once time is up. */
    async holds(kept: readonly Hunk[]): Promise<boolean | undefined> {
        if (Date.now() >= this.endsAt) return undefined;
        const tree = keyOf(this.tried.left(kept));
        const answer = this.answers.get(tree);
        if (answer !== undefined) return answer;
        if (!(await this.parses(kept))) {
            this.answers.set(tree, false);
            return false;
        }
        return (await this.run(kept)).passes;
    }

    /** Rejects if the check now fails: it does not depend on the files alone. */
    async mustHoldAgain(needed: readonly Hunk[]): Promise<void> {
        if ((await this.run(needed)).passes) return;
        throw impossible(`\`${this.request.command}\` passed and then failed on the same files.`);
    }

    private async run(kept: readonly Hunk[]) {
        const left = this.tried.left(kept);
        const name = `${formatInteger(kept.length)} of ${counted(this.tried.hunks.length, "hunk")}`;
        const result = await this.check(viewOfChanges(left.changes), name);
        this.runs += 1;
        this.answers.set(keyOf(left), result.passes);
        return result;
    }

    /** Whether no file has more syntax errors than with all hunks, with none and in the project. */
    private async parses(kept: readonly Hunk[]): Promise<boolean> {
        const { hunks, left } = this.tried;
        const known = [...left(hunks).changes, ...left([]).changes];
        for (const { path, before, after } of left(kept).changes) {
            const others = known.filter((change) => change.path === path);
            const usual = [before, ...others.map((change) => change.after)];
            const counts = usual.map((bytes) => this.syntaxErrors(path, bytes));
            const most = Math.max(...(await Promise.all(counts)));
            if ((await this.syntaxErrors(path, after)) > most) return false;
        }
        return true;
    }

    private syntaxErrors(path: string, bytes: Uint8Array | null): Promise<number> {
        const key = `${bytes && sha256(bytes)} ${path}`;
        const count = this.errorCounts.get(key) ?? countErrors(path, bytes, this.request.signal);
        this.errorCounts.set(key, count);
        return count;
    }
}

async function countErrors(
    path: string,
    bytes: Uint8Array | null,
    signal: AbortSignal
): Promise<number> {
    if (bytes === null || isBinary(bytes)) return 0;
    const text = Buffer.from(bytes).toString();
    const language = languageOf(path, text);
    if (language === undefined) return 0;
    const errors = await unlessTooComplex(parseInWorker("errors", language.id, text, signal));
    return errors?.length ?? 0;
}

function keyOf({ changes }: ChangeSet): string {
    const parts = changes.map(({ path, type = "", after, mode = "" }) =>
        JSON.stringify([path, type, after && sha256(after), mode])
    );
    return parts.sort().join("\n");
}

function impossible(sentence: string): NorthError {
    return new NorthError("shrink-impossible", sentence, [CHOOSE_ANOTHER]);
}
