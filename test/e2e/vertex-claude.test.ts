import { expect } from "chai";
import {
    type MessagesServer,
    startMessagesServer,
    text,
    thinking,
    toolUse,
} from "../helpers/vendors/messages-server.js";
import { VendorWorkplace } from "../helpers/vendors/vendor-workplace.js";
import { KEY } from "../helpers/vendors/vendors.js";

const LARGE = { input_tokens: 100_000, output_tokens: 10_000 };

describe("north with Claude on Vertex AI", () => {
    let place: VendorWorkplace;
    let server: MessagesServer;

    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    it("A turn with a call is answered and costs 10% more in a region, marked as unconfirmed", async () => {
        place = new VendorWorkplace({ "a.txt": "one\n" });
        await place.serve(() => []);
        server = await startMessagesServer({
            isVertex: true,
            apiKey: KEY,
            script: [
                {
                    blocks: [
                        thinking("Which?", "sig"),
                        toolUse("toolu_1", "read_file", { path: "a.txt" }),
                    ],
                    usage: LARGE,
                },
                { blocks: [text("It says one.")], usage: LARGE },
            ],
        });
        const env = { GOOGLE_VERTEX_BASE_URL: server.url, GOOGLE_CLOUD_LOCATION: "eu" };
        const asked = ["-p", "Read a.txt", "--model", "vertex/claude-sonnet-5-5"];
        const end = await place.run([...asked, "--output-format", "json"], { env });
        expect(end.code, end.stderr).to.equal(0);
        server.assertDone();
        const { result, costUsd } = JSON.parse(end.stdout);
        expect(result).to.equal("It says one.");
        // $2 and $10 for a million tokens, on Anthropic's API.
        expect(costUsd).to.be.closeTo(2 * 1.1 * (0.1 * 2 + 0.01 * 10), 1e-9);
        expect(server.requests[1]?.raw.toString()).to.include('"signature":"sig"');
        const costs = await place.run(["costs"], { env });
        expect(costs.stdout).to.include("claude-sonnet-5-5").and.include("unconfirmed");
    });
});
