import { expect } from "chai";
import { startLocalRegistry, type LocalRegistry } from "../helpers/local-registry.js";
import { Workplace } from "../helpers/north-program.js";
import { startProxy, type ProxyServer } from "../helpers/proxy-server.js";

describe("Installing a plugin from a registry", () => {
    let place: Workplace;
    let registry: LocalRegistry;
    let proxy: ProxyServer;

    beforeEach(async () => {
        place = new Workplace({});
        registry = await startLocalRegistry();
        proxy = await startProxy();
    });
    afterEach(async () => {
        await proxy.close();
        await registry.close();
        await place.remove();
    });

    const install = async () =>
        place.run(["plugins", "install", "north-tool-example"], {
            env: {
                HTTP_PROXY: proxy.url.replace("//", "//user:secret@"),
                // Nobody but the proxy knows this name.
                npm_config_registry: registry.url.replace("127.0.0.1", "registry.example"),
                npm_config_fetch_retries: "0",
            },
        });

    it("npm takes the proxy of the environment for a plugin", async () => {
        const { code, stderr } = await install();
        expect(stderr).to.contain("installed v");
        expect(code).to.equal(0);
        const { port } = new URL(registry.url);
        expect(proxy.asked).to.include(`GET http://registry.example:${port}/north-tool-example`);
    });

    it("A registry that does not answer is not said to lack the plugin", async () => {
        await registry.close();
        const env = { npm_config_registry: registry.url, npm_config_fetch_retries: "0" };
        const { code, stderr } = await place.run(["plugins", "install", "north-x"], { env });
        expect(code).to.equal(1);
        expect(stderr)
            .to.match(/npm's registry http:\S+ does not answer\.\n {2}Check the network/)
            .and.not.contain("does not exist");
    });

    it("The error of a plugin's installation names the proxy that npm used", async () => {
        await proxy.close();
        const { code, stderr } = await install();
        expect(code).to.equal(1);
        expect(stderr).to.contain(`npm uses the proxy ${proxy.url}.`).and.not.contain("secret");
    });
});
