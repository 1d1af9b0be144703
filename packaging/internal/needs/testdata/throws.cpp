// A library with an exception of its own.
extern "C" int catches(int n) {
	try {
		throw n;
	} catch (int i) {
		return i;
	}
}
