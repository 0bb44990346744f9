import type { CostGrouping, CostQuery, CostRecord, CostRow } from "../../core/costs/ledger.js";
import { addToTally, type CostTally, emptyTally, localDay, toDollars } from "./cost-record.js";

type Group = Pick<CostRow, "key" | "provider" | "model">;

const groupOf: Record<CostGrouping, (record: CostRecord) => Group> = {
    model: ({ provider, model }) => ({ key: model, provider, model }),
    provider: ({ provider }) => ({ key: provider, provider }),
    project: ({ project }) => ({ key: project }),
    day: ({ at }) => ({ key: localDay(at) }),
};

/** Takes records one by one and has the rows of a query in the end. */
export interface RowCollector {
    add(record: CostRecord): void;
    rows(): CostRow[];
}

export function collectRows({ by, since = 0, conversationId }: CostQuery): RowCollector {
    const groups = new Map<string, { readonly group: Group; readonly tally: CostTally }>();
    return {
        add(record) {
            if (record.at < since) return;
            if (conversationId !== undefined && record.conversationId !== conversationId) return;
            const group = groupOf[by](record);
            // Two providers may serve models of the same name at different prices.
            const id = JSON.stringify([group.key, group.provider]);
            const known = groups.get(id) ?? { group, tally: emptyTally() };
            groups.set(id, known);
            addToTally(known.tally, record);
        },
        rows() {
            const rows = [...groups.values()].map(({ group, tally: { nanoUsd, ...counts } }) => ({
                ...group,
                costUsd: toDollars(nanoUsd),
                ...counts,
            }));
            return rows.sort(by === "day" ? byKey : byCost);
        },
    };
}

function byKey(one: CostRow, other: CostRow): number {
    return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}

function byCost(one: CostRow, other: CostRow): number {
    return other.costUsd - one.costUsd || byKey(one, other);
}
