import { expect } from "chai";
import { isExpectedError } from "../../src/base/north-error.js";
import type { ExpectedError } from "../../src/plugin/index.js";

/** The expected error that `work` fails with; fails the test if it does not, or otherwise. */
export async function expectError(work: () => unknown, code: string): Promise<ExpectedError> {
    try {
        await work();
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        expect(error.code).to.equal(code);
        return error;
    }
    throw new Error(`Nothing was thrown in place of ${code}`);
}
