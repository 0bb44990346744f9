import { patient } from "../helpers/patience.js";
import { ProcessCrowd } from "./process-crowd.js";

describe("Many Norths in one repository", () => {
    // `npm run bench -- many-processes` does the same with 8 processes of 20 turns.
    it("Norths in one repository lose nothing of each other while others are killed", async () => {
        const crowd = new ProcessCrowd({ workers: 3, turns: 2, victims: 8 });
        try {
            await crowd.work();
            await crowd.expectNothingLost();
        } finally {
            await crowd.close();
        }
    }).timeout(patient(240_000));
});
