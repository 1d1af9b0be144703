// What a program does that depends on how it was started and linked.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <resolv.h>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

static int constructed;
struct Once {
	Once() { constructed++; }
} once;

__attribute__((noinline)) int thrower(int n) {
	if (n > 0) {
		throw std::runtime_error(std::to_string(n));
	}
	return n;
}

int main(int argc, char **argv) {
	auto shared = std::make_shared<int>(0);
	std::vector<std::thread> threads;
	for (int i = 0; i < 8; i++) {
		threads.emplace_back([shared] { __atomic_add_fetch(shared.get(), 1, __ATOMIC_SEQ_CST); });
	}
	for (auto &t : threads) {
		t.join();
	}
	volatile double base = argc; // 2
	char secret[16] = "secret";
	explicit_bzero(secret, sizeof secret);
	volatile auto resolver = (void *)res_search;
	if (secret[0] != 0 || resolver == nullptr) {
		return 1;
	}
	std::ifstream self(argv[0], std::ios::binary);
	self.seekg(0, std::ios::end);
	struct stat64 info;
	if (stat64(argv[0], &info) != 0 || self.tellg() != info.st_size) {
		return 2;
	}
	int caught = 0;
	try {
		thrower(7);
	} catch (std::exception &e) {
		caught = std::stoi(e.what());
	}
	void *library = dlopen(argv[1], RTLD_NOW);
	if (library == nullptr) {
		puts(dlerror());
		return 1;
	}
	auto catches = (int (*)(int))dlsym(library, "catches");
	printf("constructed %s; %d threads; pow %g; caught %d; caught %d of a library\n", constructed == 1 ? "once" : "not once",
	       *shared, std::pow(base, 10), caught, catches(42));
}
