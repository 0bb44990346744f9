import { readFileSync } from "node:fs";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { failureOf, toFailure } from "../../src/provider-kit/failures.js";
import { openServer } from "../../src/provider-kit/open-server.js";

const vendor = { id: "acme", name: "Acme", baseURL: "https://api.acme.example" };
const pem = (name: string) =>
    readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), "utf8");

describe("Failures of providers", () => {
    it("A vendor that only repeats that it is overloaded is not quoted", () => {
        const message = (said: string) => toFailure({ status: 529, said }, vendor).message;
        expect(message("Overloaded")).to.equal("Acme is overloaded.");
        expect(message("Try at noon.")).to.equal("Acme is overloaded: Try at noon.");
    });

    it("Denied access is not reported as a wrong key, and suggests another model first", () => {
        const said = "Your account does not have access to this model.";
        const failure = toFailure({ status: 403, said }, { ...vendor, keyVariable: "ACME_KEY" });
        expect(failure).to.include({ code: "authentication", retryable: false });
        expect(failure.message).to.equal(`Acme denied access: ${said}`);
        expect(failure.nextSteps[0]).to.equal("Choose another model with /model or --model.");
    });

    it("A host name that cannot be looked up is reported in words", () => {
        const cause = Object.assign(new Error("getaddrinfo"), { code: "EAI_AGAIN" });
        const place = { vendor, host: "api.acme.example" };
        expect(failureOf(cause, place, () => undefined).message).to.equal(
            "The address of api.acme.example could not be looked up (EAI_AGAIN)."
        );
    });

    it("An unknown certificate is not retried and names NODE_EXTRA_CA_CERTS", async () => {
        const server = https.createServer({ key: pem("key"), cert: pem("certificate") });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const { port } = server.address() as AddressInfo;
        try {
            const baseURL = `https://localhost:${port}`;
            const opened = openServer({ apiKey: "k", baseURL }, vendor);
            const failure = await opened.fetch(baseURL).then(
                () => undefined,
                (error: unknown) => failureOf(error, opened, () => undefined)
            );
            expect(failure).to.include({ code: "network", retryable: false });
            expect(failure?.message).to.equal(
                `The certificate of localhost:${port} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).`
            );
            expect(JSON.stringify(failure)).to.contain("NODE_EXTRA_CA_CERTS");
        } finally {
            server.close();
        }
    });

    it("An expired certificate is not retried and gets other advice", () => {
        const error = Object.assign(new Error("expired"), { code: "CERT_HAS_EXPIRED" });
        const failure = failureOf(error, { vendor, host: "api.acme.example" }, () => undefined);
        expect(failure).to.include({ code: "network", retryable: false });
        expect(JSON.stringify(failure)).to.contain("clock").and.not.contain("NODE_EXTRA");
    });
});
