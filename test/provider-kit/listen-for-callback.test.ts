import { once } from "node:events";
import net from "node:net";
import { expect } from "chai";
import { listenForCallback } from "../../src/provider-kit/listen-for-callback.js";

describe("The listener for a sign-in", () => {
    it("A request for an invalid URL is answered, and the browser's still counts", async () => {
        const listener = await listenForCallback({ path: "/back", state: "random" });
        try {
            const socket = net.connect(listener.port, "127.0.0.1");
            socket.end("GET // HTTP/1.1\r\nHost: x\r\n\r\n");
            const [answer] = (await once(socket, "data")) as [Buffer];
            expect(answer.toString()).to.include("404");
            await fetch(`${listener.url}?state=random&code=1`);
            expect((await listener.answer).get("code")).to.equal("1");
        } finally {
            listener.close();
        }
    });
});
