import { expect } from "chai";
import { jobs } from "../../../src/builtin/slash/jobs.js";
import { openSlash } from "../../helpers/slash-session.js";
import { expectError } from "../../storage/expect-error.js";

describe("/jobs", () => {
    it("/jobs lists background jobs, shows the output of one, and stops one", async () => {
        const { context, done, printed } = openSlash();
        await jobs.run("", context);
        await jobs.run("2", context);
        await jobs.run("stop 1", context);
        const { message } = await expectError(() => jobs.run("stop 1 2", context), "invalid-usage");
        expect(message).to.equal("Usage: /jobs [ID | stop ID]");
        expect(printed[0]).to.match(/^1 {2}running for \S+ {2}npm start\n2 {2}exit 2 +make$/);
        expect(printed.slice(1)).to.deep.equal(["job 2 printed this", "Stopped: npm start"]);
        expect(done).to.deep.equal(["stop 1"]);
        const offered = await jobs.complete?.("stop ", context);
        expect(offered).to.deep.equal([{ value: "stop 1", description: "npm start" }]);
    });
});
