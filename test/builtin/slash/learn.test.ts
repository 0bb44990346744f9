import { expect } from "chai";
import { learn } from "../../../src/builtin/slash/learn.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/learn", () => {
    it("/learn no declines the offer", async () => {
        const { context, done } = openSlash();
        await learn.run("no", context);
        expect(done).to.deep.equal(["decline learning"]);
    });

    it("/learn shows its progress, the result, where it is stored and what it cost", async () => {
        const { context, done, text } = openSlash();
        await learn.run("", context);
        expect(done).to.deep.equal(["Learning the project", "Learning: Architecture Map (10%)"]);
        expect(text()).to.equal(
            [
                "Domain Model Vocabulary: The model answered nothing.",
                "1 of 2 topics learned for $0.12: /data/profile.md",
            ].join("\n")
        );
    });
});
