// Objects of threads are destroyed when these end, the last first, and one that is made
// meanwhile next; those of the main thread at exit.
#include <cstdio>
#include <initializer_list>
#include <thread>

struct Object {
	int number;
	explicit Object(int n) : number(n) {}
	~Object();
};

static void late() { thread_local Object object(4); }

Object::~Object() {
	printf(" -%d", number);
	if (number == 2) {
		late();
	}
	if (number == 5) {
		printf("\n");
	}
}

static void work(const char *name) {
	printf("%s:", name);
	thread_local Object first(1), second(2), third(3);
}

int main() {
	for (const char *name : {"thread", "thread again"}) {
		std::thread(work, name).join();
		printf("\n");
	}
	printf("main:");
	thread_local Object fifth(5), sixth(6);
}
