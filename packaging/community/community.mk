# What the CI of DuckDB's community extensions calls, in this order: set_duckdb_version,
# configure_ci, release, test_release; with DUCKDB_PLATFORM, DUCKDB_GIT_VERSION and
# LINUX_CI_IN_DOCKER in the environment. It expects the result in
# build/release/extension/ccbf/ccbf.duckdb_extension.
.PHONY: set_duckdb_version set_duckdb_tag output_distribution_matrix configure_ci release debug test_release test_debug

# One file serves every DuckDB from 1.3 on, by the stable part of its C API.
set_duckdb_version set_duckdb_tag:
	@echo "The extension depends on no version of DuckDB"

output_distribution_matrix:
	@cat extension-ci-tools/config/distribution_matrix.json

# Its images have an older Go than this repository needs.
configure_ci:
	@packaging/community/go version

release debug:
	@GO=$$(packaging/community/go -path) && export PATH="$$(dirname "$$GO"):$$PATH" && \
		$(MAKE) --no-print-directory extension GO="$$GO" EXT=build/$@/extension/ccbf/ccbf.duckdb_extension \
		$(if $(DUCKDB_PLATFORM),STAMP="-platform $(DUCKDB_PLATFORM)")

# By DuckDB's own runner, in Python, where it can be installed. Inside the images it
# cannot, as in the CI's own makefiles.
test_release test_debug:
	@if [ "$(LINUX_CI_IN_DOCKER)" = 1 ]; then echo "Left out: tests inside the image"; \
		else packaging/community/test build/$(@:test_%=%)/extension/ccbf/ccbf.duckdb_extension; fi
