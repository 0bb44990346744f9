import { ProcessCrowd } from "../test/e2e/process-crowd.js";
import type { BenchRow } from "./measure.js";

const SIZE = { workers: 8, turns: 20 };

/** 8 parallel processes of 20 turns in one repository and home, alone and next to killed ones. */
export async function manyProcessesRows(): Promise<BenchRow[]> {
    return [await crowdRow(0), await crowdRow(200)];
}

async function crowdRow(victims: number): Promise<BenchRow> {
    const crowd = new ProcessCrowd({ ...SIZE, victims });
    try {
        const killed = await crowd.work();
        await crowd.expectNothingLost();
        return {
            what: `8 processes of 20 turns at once, ${killed} others killed: nothing is lost`,
            value: `${crowd.recordedNano() / 1e9} $ exact`,
            bound: "exact",
            ok: true,
        };
    } finally {
        await crowd.close();
    }
}
