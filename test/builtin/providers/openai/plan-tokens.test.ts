import { expect } from "chai";
import { withPlanToken } from "../../../../src/builtin/providers/openai/plan-tokens.js";

describe("Tokens of a ChatGPT plan", () => {
    it("Requests that are refused with the same token renew it once", async () => {
        let exchanges = 0;
        let tellRenewed = () => {};
        const renewed = new Promise<void>((resolve) => (tellRenewed = resolve));
        const answer = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
            const url = String(input);
            if (url.endsWith("/oauth/token")) {
                exchanges += 1;
                const tokens = { access_token: `new-${exchanges}`, refresh_token: "refresh" };
                return Response.json({ ...tokens, expires_in: 3_600 });
            }
            const token = new Headers(init?.headers).get("authorization");
            if (token !== "Bearer old") return new Response("done");
            // Refused only once the other one has renewed it.
            if (url.endsWith("/late")) await renewed;
            return new Response("", { status: 401 });
        };
        let stored = `oaiapp_1 urn:host old refresh ${Date.now() + 3_600_000}`;
        const { fetch: send } = withPlanToken({
            apiKey: stored,
            fetch: answer,
            renewKey: async (renew) => (stored = await renew(stored)),
        });
        const late = send?.("https://example.org/late");
        const early = await send?.("https://example.org/early");
        tellRenewed();
        expect(await early?.text()).to.equal("done");
        expect(await (await late)?.text()).to.equal("done");
        expect(exchanges).to.equal(1);
    });
});
