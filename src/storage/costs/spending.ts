import path from "node:path";
import { localDay, toDollars, toNano } from "./cost-record.js";
import { sizeOf } from "../files/append-line.js";
import { readJsonLines } from "../conversations/journal-lines.js";
import { ifAbsent } from "../../base/system-error.js";

/** What was spent, as far as prices are known. */
export interface Spending {
    /** US dollars of one conversation. */
    conversationUsd(id: string): number;
    /** US dollars of all projects on the day of `at`, as the user's clock has it. */
    dayUsd(at: number): number;
}

/**
 * Follows `costs.jsonl`, to which all Norths on this machine append: each reading takes in only what
 * came since the last one, so that it can be done before every request.
 */
export function followSpending(dataFolder: string): () => Promise<Spending> {
    const file = path.join(dataFolder, "costs.jsonl");
    let sums = emptySums();
    return async () => {
        // A ledger that was reset begins anew.
        if ((await sizeOf(file)) < sums.end) sums = emptySums();
        await readOn(file, sums);
        const { conversations, days } = sums;
        return {
            conversationUsd: (id) => toDollars(conversations.get(id) ?? 0),
            dayUsd: (at) => toDollars(days.get(localDay(at)) ?? 0),
        };
    };
}

/** Sums in billionths of a dollar, and the byte up to which the ledger is in them. */
interface Sums {
    end: number;
    readonly conversations: Map<string, number>;
    readonly days: Map<string, number>;
}

function emptySums(): Sums {
    return { end: 0, conversations: new Map(), days: new Map() };
}

async function readOn(file: string, sums: Sums): Promise<void> {
    const { costChecker } = await import("./check-costs.js");
    const take = (value: unknown) => {
        if (!costChecker.fits(value)) return;
        const { conversationId, at, costUsd } = value;
        add(sums.conversations, conversationId, toNano(costUsd ?? 0));
        add(sums.days, localDay(at), toNano(costUsd ?? 0));
    };
    const reading = readJsonLines(file, { from: sums.end }, take, () => {});
    sums.end = await ifAbsent(reading, sums.end);
}

function add(sums: Map<string, number>, key: string, nanoUsd: number): void {
    sums.set(key, (sums.get(key) ?? 0) + nanoUsd);
}
