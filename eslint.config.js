import prettier from "eslint-config-prettier";
import tseslint from "typescript-eslint";

export default tseslint.config(
    { ignores: ["dist/", "build/", "node_modules/", "test/fixtures/", "**/dist/"] },
    ...tseslint.configs.recommended,
    prettier,
    {
        files: ["**/*.ts"],
        rules: {
            "@typescript-eslint/consistent-type-imports": [
                "error",
                { fixStyle: "inline-type-imports" },
            ],
            "@typescript-eslint/no-explicit-any": "error",
            "@typescript-eslint/no-unused-vars": [
                "error",
                { argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
            ],
            "@typescript-eslint/no-unused-expressions": "off",
            eqeqeq: ["error", "always", { null: "ignore" }],
        },
    },
    {
        files: ["src/**/*.ts"],
        rules: {
            "@typescript-eslint/no-non-null-assertion": "error",
            "no-console": "error",
            "no-restricted-properties": [
                "error",
                {
                    object: "process",
                    property: "exit",
                    message: "Set process.exitCode or throw; buffered output must not be lost.",
                },
            ],
        },
    }
);
