# Targets that the CI of DuckDB's community extensions makes, in this order: set_duckdb_version,
# configure_ci, release, test_release. It sets DUCKDB_PLATFORM, DUCKDB_GIT_VERSION and
# LINUX_CI_IN_DOCKER in the environment, and expects the result in
# build/release/extension/ccbf/ccbf.duckdb_extension.
.PHONY: set_duckdb_version set_duckdb_tag output_distribution_matrix configure_ci release debug test_release test_debug

# One file works with every DuckDB from 1.3 on, because it uses only the stable part of the C API.
set_duckdb_version set_duckdb_tag:
	@echo "The extension depends on no version of DuckDB"

output_distribution_matrix:
	@cat extension-ci-tools/config/distribution_matrix.json

# The CI's images have an older Go than this repository needs.
configure_ci:
	@packaging/community/go version

release debug:
	@GO=$$(packaging/community/go -path) && export PATH="$$(dirname "$$GO"):$$PATH" && \
		$(MAKE) --no-print-directory extension GO="$$GO" EXT=build/$@/extension/ccbf/ccbf.duckdb_extension \
		$(if $(DUCKDB_PLATFORM),STAMP="-platform $(DUCKDB_PLATFORM)")

# Runs the tests with DuckDB's own runner, in Python. It cannot be installed inside the
# images; there the tests are left out, as in the CI's own makefiles.
test_release test_debug:
	@if [ "$(LINUX_CI_IN_DOCKER)" = 1 ]; then echo "Left out: tests inside the image"; \
		else packaging/community/test build/$(@:test_%=%)/extension/ccbf/ccbf.duckdb_extension; fi
