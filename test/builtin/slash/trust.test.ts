import { expect } from "chai";
import { trust } from "../../../src/builtin/slash/trust.js";
import type { UnconfirmedGrant } from "../../../src/plugin/index.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/trust", () => {
    const BROUGHT: UnconfirmedGrant = {
        id: "1",
        path: ".north/allowlist.json",
        text: "run `make` at the root",
        isDeclined: false,
    };

    it("/trust asks about one item at a time, and a cancelled question decides nothing", async () => {
        for (const [confirms, expected] of [
            [
                true,
                [
                    "Allow: run `make` at the root (.north/allowlist.json, 1 of 2)? (always)",
                    "allow 1",
                ],
            ],
            [
                false,
                [
                    "Allow: run `make` at the root (.north/allowlist.json, 1 of 2)? (always)",
                    "decline 1",
                ],
            ],
        ] as const) {
            const brought = [BROUGHT, { ...BROUGHT, id: "2" }];
            const { context, done } = openSlash({ brought, confirms });
            await trust.run("", context);
            expect(done.slice(0, 2)).to.deep.equal(expected);
            expect(done).to.have.lengthOf(4);
        }
        const { context, done } = openSlash({ brought: [BROUGHT, BROUGHT], confirms: "left" });
        await trust.run("", context);
        expect(done).to.have.lengthOf(1);
    });

    it("/trust lists the hosts and outputs that were allowed, and how to remove one", async () => {
        const { context, text } = openSlash();
        await trust.run("", context);
        expect(text()).to.contain("`/allowlist remove KEY` removes one:\n  host:registry.example");
    });

    it("/trust shows a long text below the question, and says what was denied before", async () => {
        const text = "x".repeat(101);
        const { context, done } = openSlash({ brought: [{ ...BROUGHT, text, isDeclined: true }] });
        await trust.run("", context);
        expect(done[0]).to.equal(
            `Allow this (.north/allowlist.json, 1 of 1, denied before)? [${text}] (always)`
        );
    });
});
