import { expect } from "chai";
import { until } from "../../../src/builtin/slash/until.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/until", () => {
    it("/until says in words how many attempts a turn has", async () => {
        for (const [maxAttempts, words] of [
            [1, "1 more attempt"],
            [3, "3 more attempts"],
        ] as const) {
            const { context, text } = openSlash();
            const goal = { command: "npm test", maxAttempts };
            const { session } = context;
            const set = { current: () => goal, set: () => {} };
            await until.run("npm test", { ...context, session: { ...session, until: set } });
            expect(text()).to.equal(
                `A turn now ends only when \`npm test\` exits with 0, or after ${words}. /until off turns this off.`
            );
        }
    });
});
