import { sizeOf } from "../files/append-line.js";
import { toDollars, toNano } from "../../base/money.js";
import { oneAtATime } from "../../base/waiting.js";
import { localDay } from "./cost-record.js";
import { costFiles, currentSummary, readRecords, sumOf } from "./cost-summary.js";

export type Spending = ReturnType<typeof followSpending>;

/**
 * Money spent so far; requests of unknown price are not included. Follows `costs.jsonl`, to which
 * every North on this machine appends. Each call reads only what is new, so it is cheap enough to
 * call before every request.
 */
export function followSpending(dataFolder: string) {
    const files = costFiles(dataFolder);
    let sums: Sums | undefined;
    // Nested runs ask at once; two reads of the same lines would count them twice.
    const inTurn = oneAtATime();
    const upToDate = async (): Promise<Sums> => {
        // A shrunken ledger was reset.
        if (!sums || (await sizeOf(files.log)) < sums.end) {
            const { days, logBytes: end } = await currentSummary(files, () => {});
            const nano = [...days].map(([day, costs]) => [day, sumOf([costs]).nanoUsd] as const);
            sums = { end, conversations: new Map(), days: new Map(nano) };
        }
        await readOn(files.log, sums);
        return sums;
    };
    const spentBy = async (id: string): Promise<number> => {
        const { conversations, end } = await upToDate();
        if (!conversations.has(id)) {
            let nano = 0;
            const range = { to: end, containing: JSON.stringify(id) };
            await readRecords(files.log, range, ({ conversationId, costUsd }) => {
                if (conversationId === id) nano += toNano(costUsd ?? 0);
            });
            conversations.set(id, nano);
        }
        return toDollars(conversations.get(id) ?? 0);
    };
    return {
        conversationUsd: (id: string) => inTurn(() => spentBy(id)),
        /** US dollars across all projects on the day of `at`, in the user's time zone. */
        dayUsd: (at: number) =>
            inTurn(async () => toDollars((await upToDate()).days.get(localDay(at)) ?? 0)),
    };
}

/** Sums in nano-dollars, and the ledger offset they cover. */
interface Sums {
    end: number;
    /** Only conversations that were asked for. */
    readonly conversations: Map<string, number>;
    readonly days: Map<string, number>;
}

async function readOn(file: string, sums: Sums): Promise<void> {
    const { conversations, days } = sums;
    const { end } = await readRecords(
        file,
        { from: sums.end },
        ({ conversationId, at, costUsd }) => {
            const nano = toNano(costUsd ?? 0);
            const day = localDay(at);
            days.set(day, (days.get(day) ?? 0) + nano);
            const known = conversations.get(conversationId);
            if (known !== undefined) conversations.set(conversationId, known + nano);
        }
    );
    sums.end = end;
}
